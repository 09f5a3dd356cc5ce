import type { Opened } from '../people/opened.ts'
import type { AnswerInput } from '../watch/answers.ts'
import type { StanzaMatch } from '../watch/match.ts'
import type { StanzaJson } from '../watch/stanza-json.ts'
import type { TraceLine } from '../watch/trace.ts'
import type { PasskeyControl } from './passkeys.ts'

export interface Settings {
  auto_contacts: boolean
  echo: boolean
  receipts: 'none' | 'delivered' | 'read'
  receipt_delay_ms: number
  addressing: 'lid' | 'pn'
  /** `older`: the network only knows GraphQL operations by the numbers of older clients. */
  mex_ids: 'today' | 'older'
  /**
   * A collection of settings with at most this number of entries is sent as patches to a device that has none of it. With null, the default, every
   * collection is sent as a snapshot.
   */
  snapshots_above: number | null
  /**
   * `required`: stanzas that waited for a client are only sent in the batches that it requests. `optional`, the default: one more is also sent for each that it confirms.
   */
  offline_batches: 'optional' | 'required'
}

export interface Stats {
  connections: number
  stanzas_in: number
  stanzas_out: number
  /** Number of messages that a contact or phone could not decrypt. */
  undecryptable: number
  /** `xmlns type child` of every query that the simulator could not answer. */
  unknown_queries: string[]
  /** Number of files that were uploaded to the media host. */
  uploads: number
}

export interface PhoneInput {
  phone: string
  name?: string | undefined
  platform?: 'android' | 'ios' | 'smba' | 'smbi' | undefined
  verified_name?: string | undefined
  lid?: string | undefined
  history?: { chats: number; contacts: number; messages?: number | undefined } | undefined
  /** Salt in base64, sent in the phone's history; linked devices make tokens for new chats with it. */
  nct_salt?: string | undefined
}

export interface ContactInput {
  name?: string | undefined
  lid?: string | undefined
  devices?: number | undefined
  business?: boolean | undefined
  receipts?: 'none' | 'delivered' | 'read' | undefined
  picture?: string | undefined
  about?: string | undefined
  blocked_me?: boolean | undefined
  /** Refuses messages of an account without a token of trust: one that the contact gave, or one made with the account's salt. */
  needs_token?: boolean | undefined
  /** Takes messages without decrypting them, for load tests. */
  sink?: boolean | undefined
  group_add?: 'all' | 'contacts' | 'none' | undefined
}

/** The `message` object of a request: exactly one content field, plus the common ones. See `people/compose.ts`. */
export type MessageInput = Record<string, unknown>

export interface InboxItem {
  seq: number
  id: string
  from: string
  chat: string
  at: string
  kind: string
  text: string | null
  proto: unknown
  /** Media of the message. `error` is set if the contact could not download or decrypt it. */
  media: { mime: string; bytes: number; sha256: string; error?: string } | null
  /** Media inside other content: headers of interactive messages and cards, the picture of a product. */
  inner_media?: { mime: string; bytes: number; sha256: string; error?: string }[]
  /** The decrypted content that refers to another message (votes, answers to events, edits, reactions). */
  opened?: Opened
  /** Attributes of the stanza (`type`, `edit`, `addressing_mode`), only for messages of linked devices. */
  attrs?: Record<string, string>
  /** Nodes of the stanza beside its ciphertexts (`biz`, `bot`, `meta`), only for messages of linked devices. */
  nodes?: { tag: string; attrs: Record<string, string>; content?: unknown }[]
  retries: number
  /** Number of times that the message arrived again under its id: phones show it once, as it first arrived. */
  repeats?: number
  /** Set if one of the repeats was another message under the same id: other content, keys, link or attributes. */
  repeats_differ?: true
}

/** A receipt for messages of this person. */
export interface InboxReceipt {
  type: string
  from: string
  chat: string
  ids: string[]
}

/** One stanza of a message as one device received it: the first, and each that was sent again. */
export interface MessageCopy {
  id: string
  device: number
  read: boolean
  /** Whether the copy was wrapped for the account's other devices (DeviceSentMessage). */
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

export interface RetryInput {
  /** The linked account that receives the retry receipt. */
  to: string
  id: string
  /** Group, status, or the person's own chat with that account. */
  chat?: string | undefined
  device: number
  count: number
  keys: boolean
  /** Number of receipts. Each is for a separate id, with the number appended, unless there is only one. */
  times: number
}

/** Kind of damage to a message of a contact, for every linked device. */
export type Damage =
  /** The ciphertext cannot be decrypted. */
  | 'ciphertext'
  /** The ciphertext can be decrypted, but its padding is longer than the message. */
  | 'padding'
  /** The ciphertext can be decrypted, but its content is no message. */
  | 'content'

/** Keys that a device of a contact replaces. */
export type Rotation =
  /** Signed pre-keys are replaced, as phones do every few weeks; sessions continue. */
  | 'signed_pre_key'
  /** The app was installed again: the device has another identity, and no sessions. */
  | 'identity'
  /** Sender keys of all groups are replaced; the new keys are distributed with the next message to each. */
  | 'sender_keys'
  /** Sessions with linked devices are forgotten on one side. */
  | 'sessions'

/** Where a stanza is sent: to all connected devices of an account, or to one connection. */
export interface PushInput {
  phone?: string | undefined
  conn?: string | undefined
  node: StanzaJson
  /**
   * True if the stanza is kept until it is acknowledged, as messages and notifications are, also for devices that are
   * offline.
   */
  keep?: boolean | undefined
}

export interface FramesInput {
  phone: string
  /** The plain content of each frame, in base64. */
  frames: string[]
}

export type FaultAction =
  | 'drop'
  | 'duplicate'
  | 'cut'
  /** The stanza is handled, and the connection ends before the answer. */
  | 'unanswered'
  | { delay_ms: number }
  | { query_error: [code: number, text: string] }
  | { ack_error: number }
  | { stream_error: number | 'replaced' | 'device_removed' }
  | { failure: number; code?: string | undefined; expire?: number | undefined }
  | { http_status: number }
  | { corrupt: true }

/** Action of the network towards a client that shows a pairing code. */
export type CodeAction =
  | 'refresh'
  | 'cut'
  | { stream_error: number | 'replaced' | 'device_removed' }
  | { failure: number; code?: string | undefined; expire?: number | undefined }

export interface FaultInput {
  on:
    | 'connect'
    | 'handshake'
    | 'login'
    /**
     * The network's notices before and after pending stanzas, by their child: `offline_preview`, `offline`. They can
     * only be dropped.
     */
    | 'ib'
    | 'pairing'
    | 'query'
    | 'message'
    | 'receipt'
    | 'presence'
    | 'call'
    | 'upload'
    | 'download'
  match?: Record<string, string> | undefined
  do: FaultAction
  times?: number | undefined
}

export interface GroupInput {
  subject: string
  owner: string
  participants: string[]
  addressing?: 'lid' | 'pn' | undefined
  settings?: Record<string, unknown> | undefined
}

/** Events of an account that are not caused by a message. */
export interface AccountControl {
  /** Sets a reach-out lock for this time; 0 lifts it. `silent`: the client only learns about the lock when it asks. */
  restriction: { seconds: number; silent: boolean }
  /** Saves a contact on the phone under a name. */
  contact: { phone: string; name: string }
  /** Changes the profile. An empty picture removes the current one. */
  profile: { name?: string | undefined; picture?: string | undefined }
  /** Adds a label to a chat or to a message, or removes it. `chat`: a number, or a JID. */
  label: { chat: string; label: string; assigned: boolean; message_id?: string | undefined }
  /** Writes an action of app state as the phone does; null removes it. */
  action: { collection: string; index: string[]; version: number; value: Record<string, unknown> | null }
  /** Sends a message from the phone to its own devices: the protobuf as JSON. */
  peer: { proto: Record<string, unknown>; damage?: Damage | undefined }
  /** Sets the audience of the status: the people of the list, or all contacts except them. */
  statusPrivacy: { setting: 'contacts' | 'allowlist' | 'denylist'; phones: string[] }
  /** Changes a setting on the phone: its name on the network, and the new list of people that it excludes. */
  privacy: { name: string; value: string; phones?: string[] | undefined }
}

/** A person becomes an admin of a channel, or stops being one. `form`: which of the network's two stanzas reports it. */
export interface ChannelRole {
  by: string
  phone: string
  role: 'admin' | 'subscriber'
  form: 'participant' | 'mex' | 'updates'
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

/** Many texts, one after another. */
export interface Burst {
  to: string
  count: number
  textPrefix: string
  /** Rate; by default the texts are sent as fast as they can be encrypted. */
  perSecond?: number | undefined
  /** All texts are encrypted first; the first is sent this number of ms after the request. */
  leadMs?: number | undefined
}

/** The result when a phone accepted a code: the device is linked, or the account's passkey is requested first. */
export type Taken = { device: number } | { device: null; passkey: true }

export interface NetworkControl {
  state(): { phones: unknown[]; contacts: unknown[]; groups: unknown[]; newsletters: unknown[] }
  stats(): Stats
  settings(changes: Partial<Settings>): Settings
  reset(): Promise<void>
  createPhone(input: PhoneInput): unknown
  /** Links the device whose code a phone scans. `qr` is the text inside the code. */
  scan(phone: string, qr: string): Promise<Taken>
  enterCode(phone: string, code: string): Promise<Taken>
  /**
   * Sends an action to the client that shows this code. `refresh` invalidates the secret in it (`companion_reg_refresh`); the other actions end its
   * connection.
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
    /** The type of `<unavailable>` that linked devices receive in place of the content. */
    unavailable?: string,
    damage?: Damage,
  ): Promise<{ id: string }>
  burst(phone: string, burst: Burst): { first_id: string; count: number }
  /** Reads the inbox of a person. `receipts`: receipts for the person's own messages, newest last, the last hundred. */
  inbox(phone: string, after: number, waitMs: number): Promise<{ items: InboxItem[]; receipts: InboxReceipt[] }>
  copies(phone: string, id: string): MessageCopy[]
  /** Sends the same ciphertexts again, under the same id or another; returns the number of stanzas. */
  replay(phone: string, id: string, as?: string): { stanzas: number }
  rotate(phone: string, device: number, what: Rotation): void
  /** A device asks for a message again, whether or not it has received one. */
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
  /** Reports every further stanza that matches, until the returned function is called. */
  watch(match: StanzaMatch, take: (line: TraceLine) => void): () => void
  expect(match: StanzaMatch, count: number): { id: string }
  expected(id: string, waitMs: number): Promise<{ complete: boolean; items: TraceLine[] }>
  /** Sends a stanza. Returns the number of devices that it was sent to, or is kept for. */
  push(input: PushInput): { devices: number }
  pushFrames(input: FramesInput): { devices: number }
  answerInstead(input: AnswerInput): { id: string }
  /** Removes one answer, or all of them. */
  removeAnswers(id?: string): void
  /** The routes of the following methods answer 404 if the network has no such method. */
  createCommunity?(input: Record<string, unknown>): unknown
  createNewsletter?(input: Record<string, unknown>): unknown
  updateBusiness?(phone: string, input: Record<string, unknown>): unknown
  postToNewsletter?(id: string, message: MessageInput): Promise<{ id: string; server_id: string }>
  newsletterPosts?(id: string): ChannelPost[]
  /** Changes a post to new content, or removes it. */
  changePost?(id: string, post: string, message?: MessageInput): Promise<void>
  /** Reports a reaction. `live_updates`: the stanza that the server sends. `reaction`: the one that the library expects. */
  reactToPost?(id: string, post: string, emoji: string, form: 'live_updates' | 'reaction'): void
  setChannelRole?(id: string, input: ChannelRole): void
  /** Returns a profile picture by the path of its URL, for the media host to serve. There is no route for this. */
  picture?(path: string): { type: string; bytes: Uint8Array } | undefined
}
