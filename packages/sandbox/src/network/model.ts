import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import type { CeremonyStage, CeremonyView, RelayItem } from '../control/passkeys.ts'
import type { Settings } from '../control/schemas/network.ts'
import type { ComposeContext } from '../people/compose-form.ts'
import type { SignalDevice } from '../people/device.ts'
import type { Answers } from '../watch/answers.ts'
import type { Expectations } from '../watch/expectations.ts'
import type { Trace } from '../watch/trace.ts'
import type { BinaryNode } from '../wire/node.ts'
import type { ClientHandshake } from '../wire/noise-responder.ts'
import type { Trust } from '../wire/trust.ts'
import type { AppState } from './app-state-model.ts'
import type { Backlog } from './backlog.ts'
import type { BusinessProfile } from './business-profile.ts'
import type { Faults } from './faults.ts'
import type { GroupFacts } from './group-facts.ts'
import type { Newsletter } from './newsletter-model.ts'
import type { Challenge, Passkey, Primary } from './passkey-model.ts'
import type { PersonInbox } from './person-inbox.ts'

export type Platform = 'android' | 'ios' | 'smba' | 'smbi'
export type ReceiptMode = Settings['receipts']

/** A person with a phone number: a simulated phone (which can link devices) or a contact. */
export interface Person {
  readonly number: string
  lid: string
  name: string
  platform: Platform
  /**
   * Whether the person was created through `POST /phones`. Such a person owns device 0 and can link instances of the
   * gateway.
   */
  isPhone: boolean
  /** Whether the person was created automatically when a client addressed the number. */
  isAutomatic: boolean
  business: boolean
  /** Code of the person's contact link. It is absent until the link is queried. */
  contactCode?: string | undefined
  email?: string | undefined
  /** Ids of the terms of service that a linked device reported as accepted. */
  notices?: Set<string> | undefined
  /** JIDs of people and groups that the account reported to the network for abuse, oldest first. */
  reports?: string[] | undefined
  username?: string | undefined
  /** Four digits that a stranger must know, in addition to the user name, to find the person. */
  usernameKey?: string | undefined
  /** The verified name of a business, if it differs from its name. */
  verifiedName?: string | undefined
  receipts: ReceiptMode | undefined
  picture: string | undefined
  /** Number of times that a linked device queried the picture. */
  pictureQueries?: number
  about: string | undefined
  /** Time at which the about text was set, or, if there is none, at which the person was created; in epoch seconds. */
  aboutAt: number
  /** A text that is shown beside the name for a limited time. Its times are in seconds. */
  textStatus?: { text: string | null; emoji: string | null; duration: number; at: number } | undefined
  blockedMe: boolean
  /**
   * Whether the person refuses messages of strangers with 463. A stranger is an account that has neither a token of the
   * person, nor a token that was made with the salt of its own phone.
   */
  needsToken?: boolean
  /** The salt with which the linked devices of this phone make tokens for new chats. */
  chatTokenSalt?: Buffer | undefined
  /** The people who may add this person to groups. A contact proves that by the token that the person gave. */
  groupAdd: 'all' | 'contacts' | 'none'
  /** Trust tokens that the person gave, in hex, by the number of the trusted person. */
  trusted?: Map<string, string>
  /** The passkey that is required before this phone links a device. */
  passkey?: Passkey | undefined
  /** The last linking for which the passkey was requested. The state file does not contain it. */
  ceremony?: Ceremony
  /** Whether the person's devices accept messages without decrypting them, for load tests. */
  isSink: boolean
  /** Whether the person sends a retry receipt for a message that it cannot decrypt, as phones do. */
  asksAgain: boolean
  /**
   * Size of the phone's history. `messages`: the number in each chat, 1 by default. `saved`: the number of these people
   * who are in the address book.
   */
  history: { chats: number; contacts: number; messages?: number | undefined; saved?: number | undefined }
  /** Devices that the simulator itself runs. Device 0 is the phone. */
  devices: PretendDevice[]
  /** Linked devices that have their own connection: instances of the gateway. */
  companions: Map<number, Companion>
  nextDevice: number
  presence: 'available' | 'unavailable'
  lastSeen: number
  /**
   * Linked devices that are subscribed to the person's presence, with the kind of identifier that they used. A
   * subscription ends with the connection.
   */
  subscribers: Map<Companion, 'lid' | 'pn'>
  inbox: PersonInbox
  /** Messages of this person by id, newest last. They are kept for devices of contacts that request them again. */
  sent: Map<string, SentMessage>
  /**
   * Stanzas of the latest messages as they were sent to linked devices, by message id, so that they can be sent again unchanged. They are not in the
   * state file.
   */
  replayable: Map<string, { to: Companion; stanza: BinaryNode }[]>
  /** Receipts and typing indicators that the gateway sent to this person, newest last. */
  signals: Signal[]
  /** JIDs that this account blocked. */
  blocklist: Set<string>
  /** Numbers of the accounts that queried the device list. They are notified when it changes. */
  watchers: Set<string>
  /** Numbers that a privacy setting excludes, by the name of the setting. */
  privacyLists: Map<string, Set<string>>
  profile: BusinessProfile
  privacy: Map<string, string>
  defaultEphemeralSeconds: number
  appState: AppState
  /** Time at which a restriction (reach-out lock) ends, in epoch seconds. */
  restrictedUntil: number | undefined
  statusPrivacy: { setting: 'contacts' | 'allowlist' | 'denylist'; numbers: string[] }
}

export interface Signal {
  kind: 'receipt' | 'presence' | 'chatstate' | 'token' | 'call'
  type: string
  from: string
  chat: string
  ids: string[]
}

export interface SentMessage {
  chat: string
  message: Uint8Array
}

export interface PretendDevice {
  readonly person: Person
  readonly id: number
  /** `<number>.<device>`: the address under which other devices store their session with it. */
  readonly address: string
  /**
   * The keys of the device. They are created at their first use, because most devices of a network never receive a
   * message.
   */
  readonly signal: SignalDevice
  readonly hasSignal: boolean
  /** Number of messages that the device has decrypted so far. */
  received: number
  /**
   * Runs jobs of the device one after the other, because the ratchet of a session must not be used by two jobs at once.
   */
  turn<T>(job: () => Promise<T>): Promise<T>
}

export interface PublicSignedKey {
  id: number
  publicKey: Buffer
  signature: Buffer
}

/** A linked device as the server knows it: its public keys, and the stanzas that wait for it. */
export interface Companion {
  readonly person: Person
  readonly device: number
  readonly address: string
  /** Long-term public Noise key. At login, only this key identifies the device. */
  noiseKey: Buffer
  identity: Buffer
  registrationId: number
  signedPreKey: PublicSignedKey
  preKeys: Map<number, Buffer>
  /** `ADVSignedDeviceIdentity` that contains the device's own signature. */
  deviceIdentity: Buffer | undefined
  keyIndex: number
  os: string
  platformType: number
  wantsFullHistory: boolean
  isBootstrapped: boolean
  /** Set when the device has queried its groups. Later changes of the groups are kept for it. */
  hasReadGroups?: boolean
  /** Stanzas that are not acknowledged yet, oldest first. They are sent again at the next login. */
  pending: Map<string, BinaryNode>
  /**
   * Ids of messages for which the client has sent a retry receipt. The negative ack that follows is about the first copy of the message, so it is
   * ignored.
   */
  nacksToIgnore: Set<string>
  isAvailable: boolean
  connection: Connection | undefined
  /**
   * Two counters that the client sent when it last logged in: its logins since it was linked, and since it was started. They are not in the state
   * file.
   */
  login?: { passive: boolean; lc: number | null; connectAttemptCount: number | null }
}

export interface GroupMember {
  person: Person
  role: 'member' | 'admin' | 'superadmin'
}

export interface Group extends GroupFacts {
  subjectBy: Person
  description: { id: string; text: string; by: Person; at: number } | undefined
  owner: Person
  members: Map<string, GroupMember>
  requests: Map<string, { person: Person; at: number }>
}

export interface NetworkStats {
  stanzasIn: number
  stanzasOut: number
  undecryptable: number
  unknownQueries: string[]
  uploads: number
}

export interface Network {
  readonly trust: Trust
  readonly settings: Settings
  readonly stats: NetworkStats
  readonly faults: Faults
  /** Shows all stanzas to the observers of the control API. */
  readonly trace: Trace
  readonly expectations: Expectations
  /** Answers that the control API has set and that replace those of the network. */
  readonly answers: Answers
  readonly calls: Calls
  /** All people by their number. */
  readonly people: Map<string, Person>
  readonly lids: Map<string, Person>
  readonly groups: Map<string, Group>
  readonly connections: Set<Connection>
  /** Connections whose client shows a QR code, by each reference that the codes may contain. */
  readonly refs: Map<string, Connection>
  /** Secrets of codes that a `companion_reg_refresh` invalidated. */
  readonly retiredSecrets: Set<string>
  readonly newsletters: Map<string, Newsletter>
  /** `host:port` to which clients upload media. */
  mediaHost: string | undefined
  /** Stores data of phones that are too large for a stanza. */
  upload: ComposeContext['upload'] | undefined
  isDown: boolean
  forged: Set<'root' | 'leaf' | 'account_signature'>
  /** Call this after each change of data that is saved, so that the state file is written. */
  changed(): void
  /** Runs a job that may take longer than the stanza that caused it. If it fails, the error is added to `failures`. */
  run(job: Promise<unknown>): void
  /** Starts a timer of the network itself (receipts, bursts, calls). The timers are cleared when the network stops. */
  later(delayMs: number, job: () => void): void
  readonly failures: string[]
  /** Adds an error to `failures`. It is used where no caller could get the error. */
  note(failure: string): void
}

export type Message = proto.IMessage

export type CallState = 'ringing' | 'rejected' | 'missed' | 'ended'

export interface Call {
  id: string
  from: Person
  to: Person
  state: CallState
}

export type Calls = Map<string, Call>

/** One client's socket, from the handshake to its end. */
export interface Connection {
  /** Id that no other connection has, even after a restart. Traces use it. */
  readonly id: string
  readonly network: Network
  /** The linked device. It is set at login. */
  companion: Companion | undefined
  /** The handshake of a device that has no account yet and waits to be linked. */
  registration: ClientHandshake | undefined
  /** The linking with a passkey. It is set when the passkey was requested from this connection. */
  ceremony?: Ceremony
  /** True when all waiting stanzas have been sent. From then on, new stanzas are sent immediately. */
  isLive: boolean
  /** The stanzas that were waiting for the client, while they are being sent (`offline-queue.ts`). */
  backlog: Backlog | undefined
  readonly isOpen: boolean
  /**
   * Sends a stanza. `isOrdered`: a caller of the control API has ordered this stanza in place of the normal one; the trace shows it with `ordered:
   * true`.
   */
  send(item: BinaryNode, isOrdered?: boolean): void
  /** Sends a frame with these bytes unchanged. Bit 2 of the first byte means that the other bytes are compressed. */
  sendFrame(payload: Uint8Array): void
  /** Sends a frame that the client cannot decrypt. The client's frame counter is wrong afterwards. */
  sendGarbage(): void
  /** Resolves with the client's answer to an `<iq>` of the network. */
  expect(id: string): Promise<BinaryNode>
  /** Closes the connection. If a last stanza is given, it is sent before. */
  end(last?: BinaryNode): void
  /** Breaks the connection without a last stanza. */
  cut(): void
}

/**
 * One attempt to link a device to a phone that requires its passkey. The phone keeps the last attempt, so that the
 * control API can show how it ended.
 */
export interface Ceremony {
  readonly network: Network
  readonly phone: Person
  readonly passkey: Passkey
  readonly connection: Connection
  /** The secret that the phone has from the code: the one in the QR code, or the one that both sides derived from the typed code. */
  readonly handedSecret: Buffer
  /** Time at which the phone scanned or typed the code, in epoch ms. */
  readonly startedAt: number
  readonly refs: Set<string>
  readonly problems: string[]
  readonly acks: CeremonyView['acks']
  readonly relayed: RelayItem[]
  /** Callbacks of requests that wait until the phone has another item. */
  readonly waiting: Set<() => void>
  primary: Primary
  /** The query that the server expects next from the device. Until the encrypted request has arrived, a new prologue is accepted too. */
  awaits: 'prologue' | 'nonce' | 'sealed_request' | 'nothing'
  stage: CeremonyStage
  challenge: Challenge | undefined
  prologues: number
  asks: CeremonyView['asks']
  proof: CeremonyView['proof']
  code: string | undefined
  device: number | undefined
}
