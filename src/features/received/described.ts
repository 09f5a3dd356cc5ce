import { z } from 'zod'
import { instant } from '../fields.ts'

/** Makers of field schemas. All of them require a description, because the API description publishes all fields. */
export const text = (max: number, description: string) => z.string().max(max).meta({ description })
export const nullable = (max: number, description: string) => z.string().max(max).nullable().meta({ description })
export const number = (description: string) => z.number().meta({ description })
export const amount = (description: string) => z.number().nullable().meta({ description })
export const integer = (description: string) => z.int().meta({ description })
export const whole = (description: string) => z.int().nullable().meta({ description })
export const flag = (description: string) => z.boolean().meta({ description })
export const nullableFlag = (description: string) => z.boolean().nullable().meta({ description })
export const when = (description: string) => instant.nullable().meta({ description })
export const id = (description: string) => text(128, description)
export const identifier = (description: string) => text(128, description)
export const nullableIdentifier = (description: string) => nullable(128, description)
export const link = (description: string) => z.string().nullable().meta({ description })
export const among = <const T extends readonly [string, ...string[]]>(values: T, description: string) =>
  z.enum(values).meta({ description })
export const list = <T extends z.ZodType>(of: T, max: number, description: string) => z.array(of).max(max).meta({ description })

export const media = {
  url: link('Link to the file, valid for 24 hours, see `media.download`. Null with a sentence in `download_error`.'),
  mime_type: text(128, 'Type of the file, as the sender named it.'),
  file_size: whole('Bytes.'),
  download_error: nullable(256, 'Reason why there is no link.'),
}
export const caption = nullable(65_536, 'Text below it.')
export const size = { width: whole('Pixels.'), height: whole('Pixels.') }

export const referenced = z
  .strictObject({
    message_id: id('Id of the message.'),
    from_me: flag('Whether the account wrote the message.'),
    phone: identifier('Its chat.'),
    participant: nullableIdentifier('Author of the message, in groups.'),
  })
  .meta({ id: 'ReferencedMessage', description: 'Message that the content refers to.' })
export type ReferencedMessage = z.output<typeof referenced>

const place = {
  latitude: number('Degrees.'),
  longitude: number('Degrees.'),
  name: nullable(256, 'Name of the place.'),
  address: nullable(1_024, 'Its address.'),
  url: nullable(2_048, 'URL of a page about the place.'),
}
export const Location = z.strictObject(place)
export type ReceivedLocation = z.output<typeof Location>
