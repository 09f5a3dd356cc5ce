/** Input and result of a family of contents. There is one file per family; `families.ts` is the table. */
import type { proto, WAMessageKey } from '@whiskeysockets/baileys'
import type { BlockName, ReceivedBlocks, ReceivedContent } from '../../../../src/features/received/blocks.ts'
import type { ReceivedNotification } from '../../../../src/features/received/notifications.ts'
import type { ReceivedFields } from '../../../../src/features/webhook-payloads.ts'
import type { ChatKind } from '../../wire/jid.ts'
import type { Person } from '../../wire/person.ts'
import type { Unwrapped } from './content.ts'
import type { InboundContext } from './context.ts'

export type { InboundContext, KnownMessage } from './context.ts'

/** The message that contains the content. */
export interface Scene {
  context: InboundContext
  key: WAMessageKey
  kind: ChatKind
  fromMe: boolean
  /** Time in epoch ms. */
  at: number
  /** The chat in the form of the API. */
  phone: string
  /** The author; null in channels, because they do not show who wrote a post. */
  author: Person | null
  paymentInfo: proto.IPaymentInfo | null
}

export interface Translated {
  content: ReceivedContent
  /** Values of common fields that are different for this content, and fields that only some contents have. */
  common?: Partial<ReceivedFields>
}

/** `silent`: the content only matters to the network and is not reported. Null if the content belongs to this family but cannot be read: it is reported as unsupported. */
export type Translation = Translated | 'silent' | null
export type Family = (content: Unwrapped, scene: Scene) => Translation | Promise<Translation>

/** The most parameters of a notification, such as the members that are added to a group at once. */
const MAX_PARAMETERS = 1_024

/** Returns a person in the form of the API. */
export const identifier = async ({ context }: Pick<Scene, 'context'>, jid: string): Promise<string> =>
  (await context.identity.person(jid)).phone

/** Builds a content block under its own name. */
export const block = <Name extends BlockName>(
  name: Name,
  content: ReceivedBlocks[Name],
  common: Partial<ReceivedFields> = {},
): Translated => ({
  // TypeScript cannot type an object with a computed name; the parameters ensure that block and name belong together.
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
