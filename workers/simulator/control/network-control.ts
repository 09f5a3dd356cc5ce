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
  /** `older`: the network only knows GraphQL operations by the query ids of older clients. */
  mex_ids: 'today' | 'older'
  /**
   * If a device has no data of a collection, and the collection has at most this number of entries, the network sends
   * it as patches. With null, the default, every collection is sent as a snapshot.
   */
  snapshots_above: number | null
  /**
   * `required`: stanzas that waited for a client are only sent in the batches that the client requests. `optional`, the
   * default: another waiting stanza is also sent for each one that the client confirms.
   */
  offline_batches: 'optional' | 'required'
}

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

export interface PhoneInput {
  phone: string
  name?: string | undefined
  platform?: 'android' | 'ios' | 'smba' | 'smbi' | undefined
  verified_name?: string | undefined
  lid?: string | undefined
  history?: { chats: number; contacts: number; messages?: number | undefined } | undefined
  /** A salt in base64, which the phone's history contains. Linked devices make tokens for new chats with it. */
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
  /**
   * The person refuses messages of an account that has no trust token: neither one that the person gave, nor one that
   * was made with the account's salt.
   */
  needs_token?: boolean | undefined
  /** The person accepts messages without decrypting them, for load tests. */
  sink?: boolean | undefined
  group_add?: 'all' | 'contacts' | 'none' | undefined
}

/**
 * The `message` object of a request. It has exactly one field with the content, and may have the common fields. See
 * `people/compose.ts`.
 */
export type MessageInput = Record<string, unknown>

/** Content that refers to another message and was encrypted, after its reader has decrypted it. */
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
  /**
   * How often the message was received again under its id. Phones show such a message only once, with its first
   * content.
   */
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

/**
 * One stanza of a message as one device received it. There is one copy for the first stanza, and one for each time that
 * it was sent again.
 */
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
  /** The decrypted content in the form of the inbox; null if the device could not decrypt it. */
  proto: unknown
}

export interface RetryInput {
  /** The linked account that receives the retry receipt. */
  to: string
  id: string
  /** The chat of the message: a group, the status, or the person's own chat with that account. */
  chat?: string | undefined
  device: number
  count: number
  keys: boolean
  /**
   * Number of receipts. If there are several, each names another id: the given id with the number of the receipt
   * appended.
   */
  times: number
}

/** How a message of a contact is damaged, for every linked device. */
export type Damage =
  /** The ciphertext cannot be decrypted. */
  | 'ciphertext'
  /** The ciphertext can be decrypted, but its padding is longer than the message. */
  | 'padding'
  /** The ciphertext can be decrypted, but its content is not a message. */
  | 'content'

/** The keys that a device of a contact replaces. */
export type Rotation =
  /** Signed pre-keys are replaced, as phones do every few weeks; sessions continue. */
  | 'signed_pre_key'
  /** The app was installed again: the device has another identity, and no sessions. */
  | 'identity'
  /** The sender keys of all groups are replaced. The new keys are distributed with the next message to each group. */
  | 'sender_keys'
  /** The device deletes its sessions with linked devices, but the linked devices keep theirs. */
  | 'sessions'

/** The destination of a stanza: all connected devices of an account, or one connection. */
export interface PushInput {
  phone?: string | undefined
  conn?: string | undefined
  node: StanzaJson
  /**
   * True if the network keeps the stanza until it is acknowledged, even for devices that are offline. It does so with
   * messages and notifications.
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
  /** The network handles the stanza, but the connection ends before the answer. */
  | 'unanswered'
  | { delay_ms: number }
  | { query_error: [code: number, text: string] }
  | { ack_error: number }
  | { stream_error: number | 'replaced' | 'device_removed' }
  | { failure: number; code?: string | undefined; expire?: number | undefined }
  | { http_status: number }
  | { corrupt: true }

/** Action of the network on a client that shows a QR code or pairing code. */
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
     * The network's notifications before and after the waiting stanzas, by their child: `offline_preview` and
     * `offline`. They can only be dropped.
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

/** Changes of an account that are not caused by a message. */
export interface AccountControl {
  /**
   * Restricts the account (reach-out lock) for this time; 0 ends the restriction. `silent`: the client only learns of
   * the restriction when it queries it.
   */
  restriction: { seconds: number; silent: boolean }
  /** Saves a contact on the phone under a name. */
  contact: { phone: string; name: string }
  /** Changes the profile. If the picture is empty, the current one is removed. */
  profile: { name?: string | undefined; picture?: string | undefined }
  /** Adds a label to a chat or a message, or removes it. `chat` is a phone number or a JID. */
  label: { chat: string; label: string; assigned: boolean; message_id?: string | undefined }
  /** Writes an action of app state as the phone does. If the value is null, the action is removed. */
  action: { collection: string; index: string[]; version: number; value: Record<string, unknown> | null }
  /** Sends a message from the phone to its own devices. `proto` is the protobuf as JSON. */
  peer: { proto: Record<string, unknown>; damage?: Damage | undefined }
  /** Sets the audience of the status: only the listed people, or all contacts except them. */
  statusPrivacy: { setting: 'contacts' | 'allowlist' | 'denylist'; phones: string[] }
  /**
   * Changes a privacy setting on the phone. `name` is its name on the network, and `phones` is the new list of people
   * whom it excludes.
   */
  privacy: { name: string; value: string; phones?: string[] | undefined }
}

/**
 * Makes a person an admin of a channel, or ends that role. `form`: which of the network's two stanzas reports the
 * change.
 */
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
   * Does this action to the client that shows this code. `refresh` invalidates the secret in the code
   * (`companion_reg_refresh`). The other actions end the client's connection.
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
  /** Sends the same ciphertexts again, under the same id or under another one. Returns the number of stanzas. */
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
  /** Some networks do not have the following methods. The routes of missing methods answer with 404. */
  createCommunity?(input: Record<string, unknown>): { id: string; announcement_id: string; general_id: string }
  createNewsletter?(input: Record<string, unknown>): { id: string; invite: string }
  updateBusiness?(phone: string, input: Record<string, unknown>): unknown
  postToNewsletter?(id: string, message: MessageInput): Promise<{ id: string; server_id: string }>
  newsletterPosts?(id: string): ChannelPost[]
  /** Replaces the content of a post, or removes the post. */
  changePost?(id: string, post: string, message?: MessageInput): Promise<void>
  /**
   * Reports a reaction. `form`: with `live_updates` it is the stanza that the server sends, and with `reaction` the
   * stanza that the library expects.
   */
  reactToPost?(id: string, post: string, emoji: string, form: 'live_updates' | 'reaction'): void
  setChannelRole?(id: string, input: ChannelRole): void
  /**
   * Returns the profile picture with this URL path. The media host serves it, so it has no route of the control API.
   */
  picture?(path: string): { type: string; bytes: Uint8Array } | undefined
}
