/** What a family of contents is given, and what it makes of them. One file per family beside this one; `families.ts` is the table. */
import type { proto, WAMessageKey } from '@whiskeysockets/baileys'
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
  /** Epoch ms. */
  at: number
  /** The chat as the API writes it. */
  phone: string
  /** Who wrote it; null in channels, whose authors are nobody's business. */
  author: Person | null
  paymentInfo: proto.IPaymentInfo | null
}

export interface Told {
  /** The content block under its own name, alone. */
  block: Record<string, unknown>
  /** Common fields that are different for this content, and fields that only it has. */
  common?: Record<string, unknown>
}

/** `silent`: the network's own business, not reported. Null: content of this family that we cannot read, reported as unsupported. */
export type Telling = Told | 'silent' | null
export type Family = (content: Unwrapped, scene: Scene) => Telling | Promise<Telling>

/** A person as the API writes it. */
export const identifier = async ({ context }: Pick<Scene, 'context'>, jid: string): Promise<string> =>
  (await context.identity.person(jid)).phone

export const notification = (name: string, parameters: readonly string[] = [], common: Record<string, unknown> = {}): Told => ({
  block: { notification: name },
  common: { ...common, notification_parameters: parameters.slice(0, 1_024) },
})
