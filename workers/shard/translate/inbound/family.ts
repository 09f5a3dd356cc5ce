/**
 * Types of the arguments and results of a family, a function that translates some kinds of content. There is one file per family; `families.ts` is
 * the table of all.
 */
import type { proto, WAMessageKey } from '@whiskeysockets/baileys'
import type { BlockName, ReceivedBlocks, ReceivedContent } from '../../../../src/features/received/blocks.ts'
import type { ReceivedNotification } from '../../../../src/features/received/notifications.ts'
import type { ReceivedFields } from '../../../../src/features/webhook-payloads.ts'
import type { ChatKind } from '../../wire/jid.ts'
import type { Person } from '../../wire/person.ts'
import type { Unwrapped } from './content.ts'
import type { InboundContext } from './context.ts'

export type { InboundContext, KnownMessage } from './context.ts'

/** The message around the content. */
export interface Scene {
  context: InboundContext
  key: WAMessageKey
  kind: ChatKind
  fromMe: boolean
  /** Time in epoch ms. */
  at: number
  /** The chat, as an identifier of the API. */
  phone: string
  /** The author; null in channels, because they do not show who wrote a post. */
  author: Person | null
  paymentInfo: proto.IPaymentInfo | null
}

export interface Translated {
  content: ReceivedContent
  /** Fields of this content that replace common fields of the event, and fields that only some contents have. */
  common?: Partial<ReceivedFields>
}

/**
 * `silent`: the content matters only to the network and is not reported. Null if the content belongs to this family but cannot be read; it is
 * reported as unsupported.
 */
export type Translation = Translated | 'silent' | null
export type Family = (content: Unwrapped, scene: Scene) => Translation | Promise<Translation>

/** The most parameters of a notification, such as members who are added to a group together. */
const MAX_PARAMETERS = 1_024

/** Returns the API identifier of a person. */
export const identifier = async ({ context }: Pick<Scene, 'context'>, jid: string): Promise<string> =>
  (await context.identity.person(jid)).phone

/** Builds the field of the event that contains a content. The field has the name of the content. */
export const block = <Name extends BlockName>(
  name: Name,
  content: ReceivedBlocks[Name],
  common: Partial<ReceivedFields> = {},
): Translated => ({
  // TypeScript cannot type an object with a computed name. The types of the parameters ensure that name and content belong together.
  content: { message_type: name, [name]: content } as unknown as ReceivedContent,
  common,
})

export const notification = (
  content: ReceivedNotification,
  parameters: readonly string[] = [],
  common: Partial<ReceivedFields> = {},
): Translated => ({
  content: { message_type: 'notification', ...content, notification_parameters: parameters.slice(0, MAX_PARAMETERS) },
  common,
})
