import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import type { Settings } from '../control/network-control.ts'
import type { CeremonyStage, CeremonyView, RelayItem } from '../control/passkeys.ts'
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
import type { Newsletter } from './newsletter-model.ts'
import type { Challenge, Passkey, Primary } from './passkey-model.ts'
import type { PersonInbox } from './person-inbox.ts'

export type Platform = 'android' | 'ios' | 'smba' | 'smbi'
export type ReceiptMode = Settings['receipts']

/** A person with a number: a simulated phone (which can link companions) or a contact. */
export interface Person {
  readonly number: string
  lid: string
  name: string
  platform: Platform
  /** Whether the person was created through `POST /phones`: it owns device 0 and links gateway instances. */
  isPhone: boolean
  /** Whether the person was created automatically when a client addressed the number. */
  isAutomatic: boolean
  business: boolean
  /** Code of the contact link; absent until queried. */
  contactCode?: string | undefined
  email?: string | undefined
  /** Ids of the terms that a linked device reported as accepted. */
  notices?: Set<string> | undefined
  /** JIDs that the account reported to the network, oldest first. */
  reports?: string[] | undefined
  username?: string | undefined
  /** Four digits that strangers must know besides the user name. */
  usernameKey?: string | undefined
  /** The verified name of a business, if it differs from its name. */
  verifiedName?: string | undefined
  receipts: ReceiptMode | undefined
  picture: string | undefined
  /** Number of times that a linked device queried the picture. */
  pictureQueries?: number
  about: string | undefined
  /** Time at which the about text was set; without one, at which the person was created. Epoch seconds. */
  aboutAt: number
  /** A text that is shown beside the name for a limited time. Its times are in seconds. */
  textStatus?: { text: string | null; emoji: string | null; duration: number; at: number } | undefined
  blockedMe: boolean
  /**
   * Whether the person refuses messages of strangers with 463: of accounts that have neither its token nor one made
   * with the salt of their phone.
   */
  needsToken?: boolean
  /** The salt with which a phone's linked devices make tokens for new chats. */
  chatTokenSalt?: Buffer | undefined
  /** People who may add it to groups; a contact presents the token that it was given. */
  groupAdd: 'all' | 'contacts' | 'none'
  /** Tokens that the person gave, in hex, by the number of the trusted person. */
  trusted?: Map<string, string>
  /** The passkey without which a phone links no device. */
  passkey?: Passkey | undefined
  /** The last linking for which the passkey was requested. It is not saved. */
  ceremony?: Ceremony
  /** Whether the person takes messages without decrypting them, for load tests. */
  isSink: boolean
  /** Whether the person sends a retry receipt for a message that it cannot read, as phones do. */
  asksAgain: boolean
  /**
   * Size of the phone's history. `messages`: number in each chat; default 1. `saved`: how many of these people are in
   * the address book.
   */
  history: { chats: number; contacts: number; messages?: number | undefined; saved?: number | undefined }
  /** Devices that the simulator itself runs; 0 is the phone. */
  devices: PretendDevice[]
  /** Linked devices with their own connection: gateway instances. */
  companions: Map<number, Companion>
  nextDevice: number
  presence: 'available' | 'unavailable'
  lastSeen: number
  /**
   * Linked devices that are subscribed to the person's presence, and the kind of identifier that they used; for as long
   * as they are connected.
   */
  subscribers: Map<Companion, 'lid' | 'pn'>
  inbox: PersonInbox
  /** Messages of this person by id, newest last, for contacts' devices that request them again. */
  sent: Map<string, SentMessage>
  /**
   * Stanzas of the latest messages as linked devices received them, by id, so that they can be sent again. They are not
   * saved.
   */
  replayable: Map<string, { to: Companion; stanza: BinaryNode }[]>
  /** Receipts and typing of the gateway to this person, newest last. */
  signals: Signal[]
  /** JIDs that this account blocked. */
  blocklist: Set<string>
  /** Accounts that queried the device list: they are notified when it changes. */
  watchers: Set<string>
  /** Numbers that a privacy setting excludes, by the name of the setting. */
  privacyLists: Map<string, Set<string>>
  profile: BusinessProfile
  privacy: Map<string, string>
  defaultEphemeralSeconds: number
  appState: AppState
  /** End of a reach-out lock, epoch seconds. */
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
  /** `<number>.<device>`: the name under which other devices store its session. */
  readonly address: string
  /** The device's keys are created at their first use, because most devices of a network never receive a message. */
  readonly signal: SignalDevice
  readonly hasSignal: boolean
  /** Number of messages that the device could decrypt. */
  received: number
  /** Runs jobs one after the other, because a ratchet has no lock. */
  turn<T>(job: () => Promise<T>): Promise<T>
}

export interface PublicSignedKey {
  id: number
  publicKey: Buffer
  signature: Buffer
}

/** A linked device as the server knows it: its public keys and its pending stanzas. */
export interface Companion {
  readonly person: Person
  readonly device: number
  readonly address: string
  /** Long-term Noise public key, which alone identifies the device at login. */
  noiseKey: Buffer
  identity: Buffer
  registrationId: number
  signedPreKey: PublicSignedKey
  preKeys: Map<number, Buffer>
  /** `ADVSignedDeviceIdentity` with the device's own signature. */
  deviceIdentity: Buffer | undefined
  keyIndex: number
  os: string
  platformType: number
  wantsFullHistory: boolean
  isBootstrapped: boolean
  /** Set once the device has queried its groups: later changes of them are kept for it. */
  hasReadGroups?: boolean
  /** Stanzas that are not acknowledged yet, oldest first. They are sent again at the next login. */
  pending: Map<string, BinaryNode>
  /** Messages for whose failure the client sent a retry receipt: the nack that follows is about the old copy. */
  nacksToIgnore: Set<string>
  isAvailable: boolean
  connection: Connection | undefined
  /** The counts of the last login. They are not saved. */
  login?: { passive: boolean; lc: number | null; connectAttemptCount: number | null }
}

export interface GroupMember {
  person: Person
  role: 'member' | 'admin' | 'superadmin'
}

export interface Group {
  readonly id: string
  subject: string
  subjectAt: number
  subjectBy: Person
  description: { id: string; text: string; by: Person; at: number } | undefined
  owner: Person
  createdAt: number
  addressing: 'lid' | 'pn'
  members: Map<string, GroupMember>
  requests: Map<string, { person: Person; at: number }>
  announce: boolean
  restrict: boolean
  ephemeralSeconds: number
  joinApproval: boolean
  memberAddMode: 'admin_add' | 'all_member_add'
  isSuspended: boolean
  /** Time at which a member appealed against the suspension; epoch seconds. */
  appealedAt?: number
  invite: string
  isCommunity: boolean
  /** For a community: whether members may add groups to it. */
  membersAddGroups: boolean
  /** Whether the group is the announcement group of a community. */
  isAnnouncementGroup: boolean
  linkedParent: string | undefined
  picture: string | undefined
  pictureQueries?: number
  /** Devices that have a simulated device's sender key: addresses by the author's address. */
  keyHolders: Map<string, Set<string>>
  /** The client's own key of the creation: a repeated request with this key creates no second group. */
  key?: string
  /** The most members; by default the network's limit (`groups.ts`). */
  capacity?: number
  /** Codes of invitations that were revoked. */
  revokedInvites?: Set<string>
  /** Numbers of people whom an admin removed: they can no longer join by the link. */
  removed?: Set<string>
  /** Settings that are present or absent, by their tag on the network. The field is absent in the data of earlier releases. */
  flags?: Set<string>
  /** Settings whose value is a keyword: `member_link_mode`, `member_share_group_history_mode`. */
  modes?: Map<string, string>
  /** Version of everything except the members. */
  settingsVersion?: string
  /** Version of the member list, which the server sends with each change. It is absent in the data of earlier releases. */
  membersVersion?: string
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
  /** Observers of the stanzas. */
  readonly trace: Trace
  readonly expectations: Expectations
  /** Answers that the control API set in place of ours. */
  readonly answers: Answers
  readonly calls: Calls
  /** All people by their number. */
  readonly people: Map<string, Person>
  readonly lids: Map<string, Person>
  readonly groups: Map<string, Group>
  readonly connections: Set<Connection>
  /** Connections that show a code, by each reference in it. */
  readonly refs: Map<string, Connection>
  /** Secrets of codes that a `companion_reg_refresh` invalidated. */
  readonly retiredSecrets: Set<string>
  readonly newsletters: Map<string, Newsletter>
  /** `host:port` to which media is uploaded. */
  mediaHost: string | undefined
  /** Stores payloads of phones that are too large for a stanza. */
  upload: ComposeContext['upload'] | undefined
  isDown: boolean
  forged: Set<'root' | 'leaf' | 'account_signature'>
  /** Called after a change of saved data: the state file must be written. */
  changed(): void
  /** Runs a job that outlives the stanza that started it; errors are added to `failures`. */
  run(job: Promise<unknown>): void
  /** Timers of the network itself (receipts, bursts, calls), cleared when it stops. */
  later(delayMs: number, job: () => void): void
  readonly failures: string[]
  /** Adds to `failures` an error that no caller awaits. */
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
  /** Id that is unique over restarts, used in traces. */
  readonly id: string
  readonly network: Network
  /** The linked device; set at login. */
  companion: Companion | undefined
  /** The handshake of a device that has no account yet and wants to be linked. */
  registration: ClientHandshake | undefined
  /** The ceremony; set when the passkey was requested from this connection. */
  ceremony?: Ceremony
  /** True when the stored stanzas were sent: from then on new ones are sent immediately. */
  isLive: boolean
  /** The backlog while stored stanzas are sent (`offline-queue.ts`). */
  backlog: Backlog | undefined
  readonly isOpen: boolean
  /** Sends a stanza. `isOrdered`: the control API set it in place of the network's own; a trace marks it. */
  send(item: BinaryNode, isOrdered?: boolean): void
  /** Sends a frame of these bytes, unchecked: the first byte says whether the rest is deflated. */
  sendFrame(payload: Uint8Array): void
  /** Sends an undecodable frame, after which the client's counters are wrong. */
  sendGarbage(): void
  /** Resolves with the client's answer to an `<iq>` of the network. */
  expect(id: string): Promise<BinaryNode>
  /** Sends a last stanza, if one is given, and closes the connection. */
  end(last?: BinaryNode): void
  /** Breaks the socket without a last stanza. */
  cut(): void
}

/** One linking by a phone that requires its passkey. The phone keeps the last one, so that the control API can show how it ended. */
export interface Ceremony {
  readonly network: Network
  readonly phone: Person
  readonly passkey: Passkey
  readonly connection: Connection
  /** The secret that the phone knows: the one in the QR code, or the one agreed with the typed code. */
  readonly handedSecret: Buffer
  /** Time at which the phone accepted the code, in epoch ms. */
  readonly startedAt: number
  readonly refs: Set<string>
  readonly problems: string[]
  readonly acks: CeremonyView['acks']
  readonly relayed: RelayItem[]
  /** Readers that wait for a relayed item. */
  readonly waiting: Set<() => void>
  primary: Primary
  /** The query that the server expects next; a prologue is accepted until the sealed request has arrived. */
  awaits: 'prologue' | 'nonce' | 'sealed_request' | 'nothing'
  stage: CeremonyStage
  challenge: Challenge | undefined
  prologues: number
  asks: CeremonyView['asks']
  proof: CeremonyView['proof']
  code: string | undefined
  device: number | undefined
}
