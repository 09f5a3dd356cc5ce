/** Types and helpers of the families: functions that translate some kinds of content. `families.ts` has their table. */
import type { proto, WAMessageKey } from '@whiskeysockets/baileys'
import type { BlockName, ReceivedBlocks, ReceivedContent } from '../../../../src/features/received/blocks.ts'
import type { ReceivedNotification } from '../../../../src/features/received/notifications.ts'
import type { ReceivedFields } from '../../../../src/features/webhook-payloads.ts'
import type { ChatKind } from '../../wire/jid.ts'
import type { Person } from '../../wire/person.ts'
import type { Unwrapped } from './content.ts'
import type { InboundContext } from './context.ts'

export type { InboundContext, KnownMessage } from './context.ts'

export interface Scene {
  context: InboundContext
  key: WAMessageKey
  kind: ChatKind
  fromMe: boolean
  /** Epoch ms. */
  at: number
  phone: string
  author: Person | null
  paymentInfo: proto.IPaymentInfo | null
}

export interface Translated {
  content: ReceivedContent
  /** Fields of this content that replace common fields of the event, and fields that only some contents have. */
  common?: Partial<ReceivedFields>
}

/**
 * Result of a translation. `silent`: the content is not reported. The value null means that the content cannot be read,
 * and is reported as unsupported.
 */
export type Translation = Translated | 'silent' | null
export type Family = (content: Unwrapped, scene: Scene) => Translation | Promise<Translation>

/**
 * Maximum number of parameters of a notification that are kept. If several members are added to a group together, each
 * is a parameter.
 */
const MAX_PARAMETERS = 1_024

export const identifier = async ({ context }: Pick<Scene, 'context'>, jid: string): Promise<string> =>
  (await context.identity.person(jid)).phone

/** Creates content of the type `name`. The event contains it in a field with this name. */
export const block = <Name extends BlockName>(
  name: Name,
  content: ReceivedBlocks[Name],
  common: Partial<ReceivedFields> = {},
): Translated => ({
  // TypeScript cannot type an object with a computed name. The parameters ensure that name and content belong together.
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
