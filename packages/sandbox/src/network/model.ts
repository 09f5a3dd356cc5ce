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
  /** Whether `POST /phones` was called for the person. Only such a person can link devices. */
  isPhone: boolean
  /** True if the first use of the number created the person, and the control API has not described the person since. */
  isAutomatic: boolean
  business: boolean
  contactCode?: string | undefined
  email?: string | undefined
  notices?: Set<string> | undefined
  reports?: string[] | undefined
  username?: string | undefined
  usernameKey?: string | undefined
  /** The verified name of a business, if it differs from its name. */
  verifiedName?: string | undefined
  receipts: ReceiptMode | undefined
  picture: string | undefined
  pictureQueries?: number
  about: string | undefined
  /** Epoch seconds at which the about text was set, or at which the person was created. */
  aboutAt: number
  textStatus?: { text: string | null; emoji: string | null; duration: number; at: number } | undefined
  blockedMe: boolean
  /**
   * Whether messages of strangers are refused with the code 463. Strangers have neither a token of this person nor one
   * made with the salt of their own phone.
   */
  needsToken?: boolean
  /** The salt with which the linked devices of this phone make tokens for new chats. */
  chatTokenSalt?: Buffer | undefined
  /**
   * The people who may add this person to groups. With `contacts`, they need a token that this person has given them.
   */
  groupAdd: 'all' | 'contacts' | 'none'
  /** Trust tokens that the person has given to others, in hex, by the number of the trusted person. */
  trusted?: Map<string, string>
  passkey?: Passkey | undefined
  /** The last linking with a passkey. It is not in the state file. */
  ceremony?: Ceremony
  /** Whether the person's devices accept messages without decrypting them, for load tests. */
  isSink: boolean
  /** Whether the devices request a message again if they cannot decrypt it, as phones do. */
  asksAgain: boolean
  /**
   * Sizes of the history. `messages` is the number in each chat, 1 by default. `saved` is the number of people in the
   * address book.
   */
  history: { chats: number; contacts: number; messages?: number | undefined; saved?: number | undefined }
  devices: PretendDevice[]
  /** Linked devices with their own connection: instances of the gateway. */
  companions: Map<number, Companion>
  nextDevice: number
  presence: 'available' | 'unavailable'
  lastSeen: number
  /**
   * Linked devices that subscribe to the person's presence, with the kind of identifier (LID or number) that they used.
   * A subscription ends with the connection.
   */
  subscribers: Map<Companion, 'lid' | 'pn'>
  inbox: PersonInbox
  /** Sent messages, newest last. They are kept for devices that request them again. */
  sent: Map<string, SentMessage>
  /** Latest stanzas by message id, so that they can be sent again unchanged. They are not in the state file. */
  replayable: Map<string, { to: Companion; stanza: BinaryNode }[]>
  /**
   * Receipts, typing indicators, tokens and call stanzas of the gateway for this person: the last hundred, newest last.
   */
  signals: Signal[]
  blocklist: Set<string>
  /**
   * Numbers of the accounts that queried the device list, and are notified when it changes. A number ends in `@lid` if
   * the account queried by LID.
   */
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
  readonly address: string
  /** Encryption state of the device. It is created at its first use, because many devices are never used. */
  readonly signal: SignalDevice
  readonly hasSignal: boolean
  received: number
  /**
   * Runs a job after all earlier jobs of the device, because two jobs must not use the ratchet of a session at the same
   * time.
   */
  turn<T>(job: () => Promise<T>): Promise<T>
}

export interface PublicSignedKey {
  id: number
  publicKey: Buffer
  signature: Buffer
}

export interface Companion {
  readonly person: Person
  readonly device: number
  readonly address: string
  /** The client must have this key at each login. */
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
  /** Whether the device has queried its groups. Until then, each login tells it to query them. */
  hasReadGroups?: boolean
  /** Stanzas that are not acknowledged yet, oldest first. They are sent again at the next login. */
  pending: Map<string, BinaryNode>
  /**
   * Ids of messages for which the device has sent a retry receipt. The negative ack that follows is about the first
   * copy, so it is ignored.
   */
  nacksToIgnore: Set<string>
  isAvailable: boolean
  connection: Connection | undefined
  /**
   * Facts about the last login. `lc` counts the logins since the device was linked, and `connectAttemptCount` those
   * since it was started. They are not in the state file.
   */
  login?: { passive: boolean; lc: number | null; connectAttemptCount: number | null }
  /** Times in epoch ms at which a session began and ended last. Not in the state file. */
  sessionTimes?: { openedAt: number | null; closedAt: number | null }
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
  readonly answers: Answers
  readonly calls: Calls
  readonly people: Map<string, Person>
  readonly lids: Map<string, Person>
  readonly groups: Map<string, Group>
  readonly connections: Set<Connection>
  /** Connections whose client shows a QR code, by each of the references in its codes. */
  readonly refs: Map<string, Connection>
  /** Secrets in QR codes that a `companion_reg_refresh` has made invalid. */
  readonly retiredSecrets: Set<string>
  readonly newsletters: Map<string, Newsletter>
  /** `host:port` to which clients upload media. */
  mediaHost: string | undefined
  upload: ComposeContext['upload'] | undefined
  isDown: boolean
  forged: Set<'root' | 'leaf' | 'account_signature'>
  changed(): void
  /**
   * Runs a job in the background, because it may take longer than the stanza that caused it. A failure is added to
   * `failures`.
   */
  run(job: Promise<unknown>): void
  /** Runs a job after this number of ms. All these timers are cleared when the network stops. */
  later(delayMs: number, job: () => void): void
  readonly failures: string[]
  /** Records an error that no caller can receive. */
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

export interface Connection {
  readonly id: string
  readonly network: Network
  companion: Companion | undefined
  registration: ClientHandshake | undefined
  /** The linking with a passkey. Set if the passkey was requested from this connection. */
  ceremony?: Ceremony
  /** True if all waiting stanzas have been sent. From then on, new stanzas are sent immediately. */
  isLive: boolean
  /** The stanzas that were waiting for the client, while they are being sent (`offline-queue.ts`). */
  backlog: Backlog | undefined
  readonly isOpen: boolean
  /** Sends a stanza. `isOrdered`: the trace marks the stanza with `ordered`. */
  send(item: BinaryNode, isOrdered?: boolean): void
  /** Sends a frame. If its first byte has the bit with the value 2, the other bytes are compressed. */
  sendFrame(payload: Uint8Array): void
  /** Sends a frame that the client cannot decrypt. After it, the client's frame counter is wrong. */
  sendGarbage(): void
  /** Resolves with the client's answer to an `<iq>` of the network. */
  expect(id: string): Promise<BinaryNode>
  end(last?: BinaryNode): void
  cut(): void
}

/** One attempt to link a device to a phone that requires its passkey. The phone stores only the last attempt. */
export interface Ceremony {
  readonly network: Network
  readonly phone: Person
  readonly passkey: Passkey
  readonly connection: Connection
  /** The secret in the QR code, or the one that both sides derived from the typed code. */
  readonly handedSecret: Buffer
  /** Time at which the phone scanned or typed the code, in epoch ms. */
  readonly startedAt: number
  readonly refs: Set<string>
  readonly problems: string[]
  readonly acks: CeremonyView['acks']
  readonly relayed: RelayItem[]
  /** Callbacks of requests that wait for the next item of the phone. */
  readonly waiting: Set<() => void>
  primary: Primary
  /** The query that the server expects next from the device. */
  awaits: 'prologue' | 'nonce' | 'sealed_request' | 'nothing'
  stage: CeremonyStage
  challenge: Challenge | undefined
  prologues: number
  asks: CeremonyView['asks']
  proof: CeremonyView['proof']
  code: string | undefined
  device: number | undefined
}
