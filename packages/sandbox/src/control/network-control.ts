import type { AnswerInput } from '../watch/answers.ts'
import type { StanzaMatch } from '../watch/match.ts'
import type { TraceLine } from '../watch/trace.ts'
import type { PasskeyControl } from './passkeys.ts'
import type { ChannelRoleChange, GroupInput } from './schemas/chats.ts'
import type { RetryInput, Rotation } from './schemas/messages.ts'
import type { FaultInput, FramesInput, PushInput, Settings } from './schemas/network.ts'
import type { AccountControl, CodeAction, ContactInput, Damage, PhoneInput } from './schemas/people.ts'

export interface Stats {
  connections: number
  stanzas_in: number
  stanzas_out: number
  undecryptable: number
  unknown_queries: string[]
  uploads: number
}

/** The `message` object of a request: exactly one field with the content, and optional common fields. */
export type MessageInput = Record<string, unknown>

/** Content that refers to another message. The reader has decrypted it with the secret of that message. */
export type Opened =
  | { options: string[] }
  | { response: 'going' | 'not_going' | 'maybe' | 'unknown'; extra_guests: number }
  | { text: string | null }
  /** The referenced message is unknown, or the content was encrypted with other JIDs than people have in this chat. */
  | { error: string }

export interface InboxItem {
  seq: number
  id: string
  from: string
  chat: string
  at: string
  kind: string
  text: string | null
  proto: unknown
  /** `error` is set if the contact could not download or decrypt the media. */
  media: { mime: string; bytes: number; sha256: string; error?: string } | null
  /** Media inside other content, such as headers of interactive messages and cards, or the picture of a product. */
  inner_media?: { mime: string; bytes: number; sha256: string; error?: string }[]
  /** The decrypted content of a vote, an answer to an event, an edit or a reaction. */
  opened?: Opened
  /** Attributes of the stanza. Absent in messages that no linked device has sent. */
  attrs?: Record<string, string>
  /** Child nodes of the stanza, except for its ciphertexts. Absent in messages that no linked device has sent. */
  nodes?: { tag: string; attrs: Record<string, string>; content?: unknown }[]
  retries: number
  repeats?: number
  /** Set if the message arrived again under the same id, but with other content, keys, link or attributes. */
  repeats_differ?: true
}

export interface InboxReceipt {
  type: string
  from: string
  chat: string
  ids: string[]
}

/** The stanza of a message as one device received it. Each send and each resend is one copy. */
export interface MessageCopy {
  id: string
  device: number
  read: boolean
  /** Whether the content was wrapped as a message of the account's other device (DeviceSentMessage). */
  device_sent: boolean
  attrs: Record<string, string>
  nodes: { tag: string; attrs: Record<string, string>; content?: unknown }[]
  tags: string[]
  enc: Record<string, string>[]
  proto: unknown
}

export interface ChannelPost {
  id: string
  server_id: string
  attrs: Record<string, string>
  media_type: string | null
  meta: Record<string, string> | null
  proto: unknown
  reactions: Record<string, string>
}

export interface Burst {
  to: string
  count: number
  textPrefix: string
  /** Texts per second; by default as fast as they can be encrypted. */
  perSecond?: number | undefined
  /**
   * Time in ms after the request at which the first text is sent. If it is given, all texts are encrypted before the
   * first one is sent.
   */
  leadMs?: number | undefined
}

/** Result of scanning or typing a code. Either the device is linked, or the account's passkey is requested first. */
export type Taken = { device: number } | { device: null; passkey: true }

export interface NetworkControl {
  state(): { phones: unknown[]; contacts: unknown[]; groups: unknown[]; newsletters: unknown[] }
  stats(): Stats
  settings(changes: Partial<Settings>): Settings
  reset(): Promise<void>
  createPhone(input: PhoneInput): unknown
  /** Links the device that shows the code. `qr` is the text in the code. */
  scan(phone: string, qr: string): Promise<Taken>
  enterCode(phone: string, code: string): Promise<Taken>
  /**
   * Carries out an action on a shown QR code. `refresh` makes the secret in the code invalid. The other actions end the
   * connection of the client that shows the code.
   */
  actOnCode(qr: string, action: CodeAction): void
  unlink(phone: string, device?: number): Promise<void>
  sendFromPhone(phone: string, to: string, message: MessageInput): Promise<{ id: string }>
  createContact(phone: string, input: ContactInput): unknown
  updateContact(phone: string, input: ContactInput): unknown
  sendFromContact(
    phone: string,
    to: string,
    message: MessageInput,
    id?: string,
    delayMs?: number,
    /** Linked devices get `<unavailable>` of this type in place of the content. */
    unavailable?: string,
    damage?: Damage,
  ): Promise<{ id: string }>
  burst(phone: string, burst: Burst): { first_id: string; count: number }
  /**
   * Resolves with the messages whose number is above `after`. `receipts` are the receipts among the last hundred
   * signals for the person, newest last. Typing indicators, tokens and calls are signals, too.
   */
  inbox(phone: string, after: number, waitMs: number): Promise<{ items: InboxItem[]; receipts: InboxReceipt[] }>
  copies(phone: string, id: string): MessageCopy[]
  /** Sends the same ciphertexts again, with the same id or with the id `as`. */
  replay(phone: string, id: string, as?: string): { stanzas: number }
  rotate(phone: string, device: number, what: Rotation): void
  /** Makes a device request the message again, whether or not it has received it. */
  retry(phone: string, input: RetryInput): void
  receipt(phone: string, chat: string, ids: string[], type: 'delivered' | 'read' | 'played'): Promise<void>
  presence(phone: string, to: string, state: 'available' | 'unavailable' | 'composing' | 'recording' | 'paused'): Promise<void>
  call(
    phone: string,
    to: string,
    options: { video?: boolean; group?: string; end: 'timeout' | 'hangup'; after_ms: number },
  ): { id: string }
  callState(id: string): { state: 'ringing' | 'rejected' | 'missed' | 'ended' }
  createGroup(input: GroupInput): { id: string }
  changeParticipants(id: string, by: string, action: string, phones: string[], method?: string): Promise<void>
  updateGroup(id: string, by: string, changes: Record<string, unknown>): Promise<void>
  restrict(phone: string, input: AccountControl['restriction']): void
  saveContact(phone: string, input: AccountControl['contact']): void
  setProfile(phone: string, input: AccountControl['profile']): void
  label(phone: string, input: AccountControl['label']): void
  sayToDevices(phone: string, input: AccountControl['peer']): Promise<{ id: string }>
  act(phone: string, input: AccountControl['action']): void
  setStatusPrivacy(phone: string, input: AccountControl['statusPrivacy']): void
  setPrivacy(phone: string, input: AccountControl['privacy']): void
  addFault(fault: FaultInput): { id: string }
  clearFaults(): void
  setDown(down: boolean): void
  cut(phone: string): void
  readonly passkeys: PasskeyControl
  forge(what: 'root' | 'leaf' | 'account_signature'): void
  watch(match: StanzaMatch, take: (line: TraceLine) => void): () => void
  expect(match: StanzaMatch, count: number): { id: string }
  expected(id: string, waitMs: number): Promise<{ complete: boolean; items: TraceLine[] }>
  push(input: PushInput): { devices: number }
  pushFrames(input: FramesInput): { devices: number }
  answerInstead(input: AnswerInput): { id: string }
  removeAnswers(id?: string): void
  /** The following methods are optional. If one is missing, its route answers with 404. */
  createCommunity?(input: Record<string, unknown>): { id: string; announcement_id: string; general_id: string }
  createNewsletter?(input: Record<string, unknown>): { id: string; invite: string }
  updateBusiness?(phone: string, input: Record<string, unknown>): unknown
  postToNewsletter?(id: string, message: MessageInput): Promise<{ id: string; server_id: string }>
  newsletterPosts?(id: string): ChannelPost[]
  changePost?(id: string, post: string, message?: MessageInput): Promise<void>
  /**
   * Adds a reaction to a post. `live_updates` is the stanza that the server sends, and `reaction` is the one that
   * Baileys expects.
   */
  reactToPost?(id: string, post: string, emoji: string, form: 'live_updates' | 'reaction'): void
  setChannelRole?(id: string, input: ChannelRoleChange): void
  picture?(path: string): { type: string; bytes: Uint8Array } | undefined
}
