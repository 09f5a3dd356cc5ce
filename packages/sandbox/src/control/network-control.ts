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
  /** Number of messages that a contact or phone could not decrypt. */
  undecryptable: number
  /** Every query that the simulator could not answer, as `xmlns type child`. */
  unknown_queries: string[]
  /** Number of files that were uploaded to the media host. */
  uploads: number
}

/**
 * The `message` object of a request. It has exactly one field with the content, and may have the common fields. See
 * `people/compose.ts`.
 */
export type MessageInput = Record<string, unknown>

/** Content about another message, which was encrypted with its secret and which the reader has decrypted. */
export type Opened =
  | { options: string[] }
  | { response: 'going' | 'not_going' | 'maybe' | 'unknown'; extra_guests: number }
  | { text: string | null }
  /**
   * The reason why the content could not be decrypted: the message to which it refers is unknown, or it was encrypted
   * with other JIDs than people have in this chat.
   */
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
  /** The media of the message. `error` is set if the contact could not download or decrypt them. */
  media: { mime: string; bytes: number; sha256: string; error?: string } | null
  /** Media inside other content, such as headers of interactive messages and cards, or the picture of a product. */
  inner_media?: { mime: string; bytes: number; sha256: string; error?: string }[]
  /** The decrypted content of a message that refers to another one (votes, answers to events, edits, reactions). */
  opened?: Opened
  /** Attributes of the stanza (`type`, `edit`, `addressing_mode`). Only messages of linked devices have them. */
  attrs?: Record<string, string>
  /**
   * Child nodes of the stanza other than its ciphertexts (`biz`, `bot`, `meta`). Only messages of linked devices have
   * them.
   */
  nodes?: { tag: string; attrs: Record<string, string>; content?: unknown }[]
  retries: number
  /** How often the message was received again with the same id. Phones show such a message only one time, with its first content. */
  repeats?: number
  /**
   * Set if one of the repeated messages was a different message under the same id: with other content, keys, link or
   * attributes.
   */
  repeats_differ?: true
}

/** A receipt that was sent for messages of this person. */
export interface InboxReceipt {
  type: string
  from: string
  chat: string
  ids: string[]
}

/** A stanza of a message as one device received it. There is one copy of the first send, and one for each resend. */
export interface MessageCopy {
  id: string
  device: number
  read: boolean
  /** Whether the content was wrapped as a message of the account's other device (DeviceSentMessage). */
  device_sent: boolean
  attrs: Record<string, string>
  /** Nodes of the stanza, as in the inbox. */
  nodes: { tag: string; attrs: Record<string, string>; content?: unknown }[]
  /** Tags of every element in the stanza. */
  tags: string[]
  /** Attributes of the ciphertexts. */
  enc: Record<string, string>[]
  /** The decrypted content, as in the inbox; null if the device could not decrypt it. */
  proto: unknown
}

/** A post of a channel as its readers receive it. */
export interface ChannelPost {
  id: string
  server_id: string
  attrs: Record<string, string>
  media_type: string | null
  meta: Record<string, string> | null
  proto: unknown
  reactions: Record<string, string>
}

/** Many texts that are sent one after the other. */
export interface Burst {
  to: string
  count: number
  textPrefix: string
  /** Number of texts per second. By default the texts are sent as fast as they can be encrypted. */
  perSecond?: number | undefined
  /** If it is given, all texts are encrypted first. The first text is sent this number of ms after the request. */
  leadMs?: number | undefined
}

/**
 * The result after a phone has scanned or typed a code: the device is linked, or the account's passkey is requested
 * first.
 */
export type Taken = { device: number } | { device: null; passkey: true }

export interface NetworkControl {
  state(): { phones: unknown[]; contacts: unknown[]; groups: unknown[]; newsletters: unknown[] }
  stats(): Stats
  settings(changes: Partial<Settings>): Settings
  reset(): Promise<void>
  createPhone(input: PhoneInput): unknown
  /** Makes a phone scan a code, and links the device that shows it. `qr` is the text in the code. */
  scan(phone: string, qr: string): Promise<Taken>
  enterCode(phone: string, code: string): Promise<Taken>
  /**
   * Applies an action to the client that shows this code. `refresh` makes the secret in the code invalid (`companion_reg_refresh`); the other actions
   * end the client's connection.
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
    /** The type of the `<unavailable>` node that linked devices receive in place of the content. */
    unavailable?: string,
    damage?: Damage,
  ): Promise<{ id: string }>
  burst(phone: string, burst: Burst): { first_id: string; count: number }
  /**
   * Reads the inbox of a person. `receipts` are the last hundred receipts for the person's own messages, newest last.
   */
  inbox(phone: string, after: number, waitMs: number): Promise<{ items: InboxItem[]; receipts: InboxReceipt[] }>
  copies(phone: string, id: string): MessageCopy[]
  /** Sends the same ciphertexts again, with the same id or with the id `as`. Returns the number of stanzas. */
  replay(phone: string, id: string, as?: string): { stanzas: number }
  rotate(phone: string, device: number, what: Rotation): void
  /** Makes a device request a message again, whether or not it has received the message. */
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
  /** Reports every later stanza that matches, until the returned function is called. */
  watch(match: StanzaMatch, take: (line: TraceLine) => void): () => void
  expect(match: StanzaMatch, count: number): { id: string }
  expected(id: string, waitMs: number): Promise<{ complete: boolean; items: TraceLine[] }>
  /** Sends a stanza. Returns the number of devices to which it was sent or for which it is kept. */
  push(input: PushInput): { devices: number }
  pushFrames(input: FramesInput): { devices: number }
  answerInstead(input: AnswerInput): { id: string }
  /** Removes one rule for answers, or all of them. */
  removeAnswers(id?: string): void
  /** The following methods are optional. If a network does not have one, its route answers with 404. */
  createCommunity?(input: Record<string, unknown>): { id: string; announcement_id: string; general_id: string }
  createNewsletter?(input: Record<string, unknown>): { id: string; invite: string }
  updateBusiness?(phone: string, input: Record<string, unknown>): unknown
  postToNewsletter?(id: string, message: MessageInput): Promise<{ id: string; server_id: string }>
  newsletterPosts?(id: string): ChannelPost[]
  /** Replaces the content of a post, or removes the post. */
  changePost?(id: string, post: string, message?: MessageInput): Promise<void>
  /** Reports a reaction. `form` chooses the stanza: `live_updates` is the one that the server sends, `reaction` the one that the library expects. */
  reactToPost?(id: string, post: string, emoji: string, form: 'live_updates' | 'reaction'): void
  setChannelRole?(id: string, input: ChannelRoleChange): void
  /**
   * Returns the profile picture with this URL path. The media host serves it, so it has no route of the control API.
   */
  picture?(path: string): { type: string; bytes: Uint8Array } | undefined
}
