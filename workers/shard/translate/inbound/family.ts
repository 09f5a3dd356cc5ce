/** What a family of contents is given, and what it makes of them. One file per family beside this one; `families.ts` is the table. */
import type { proto, WAMessageKey } from '@whiskeysockets/baileys'
import type { ReceivedFile } from '../../../../src/domain/file-download.ts'
import type { Claim, Speaker } from '../../chats/authorship.ts'
import type { Roles } from '../../chats/group-roles.ts'
import type { Identity, Person } from '../../chats/identity.ts'
import type { Shown } from '../../chats/pictures.ts'
import type { ChatKind } from '../../wire/jid.ts'
import type { Unwrapped } from './content.ts'

/** A message that came or went before, as far as it is still remembered. */
export interface KnownMessage {
  key: WAMessageKey
  message: proto.IMessage
}

/** What translation may ask: everything inside this process, so that no lookup can delay an event. */
export interface InboundContext {
  identity: Identity
  /** The account's own number in digits, null before it is known. */
  connectedPhone(): string | null
  /** Epoch ms: the time of what carries none. */
  now(): number
  /** Name of a contact, group or channel, by all its jids, as far as it is known, or null. */
  chatName(jids: readonly string[]): string | null
  /** Address of its picture as far as it is known, or null; `shown`: what for, where it may be asked for behind the event. */
  photo(jids: readonly string[], shown: Shown | null): string | null
  /**
   * A message that is spoken about in `about`: polls, events, edited and answered messages. One of another chat is not it, as far as that
   * is known: ids are whatever their writers choose.
   */
  original(id: string, about: WAMessageKey): Promise<KnownMessage | null>
  /** Where the message of that id is from, seen from a chat of these names, and whether the speaker wrote it. */
  claim(id: string, chat: Iterable<string>, speaker: Speaker): Promise<Claim>
  /** Admins of a group as far as they are known, without asking anybody. */
  roles(group: string): Promise<Roles | null>
  /** A post of a channel by the number the network gave it, as far as it is remembered. */
  post(newsletter: string, serverId: string): WAMessageKey | null
  /** A sealed link to a file, or null when none can be made. */
  mediaUrl(file: ReceivedFile): string | null
  /** A content that could not be told: it is reported as unsupported, and the reason goes to the log. */
  onProblem(error: unknown, key: WAMessageKey): void
}

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
