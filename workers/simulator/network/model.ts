import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import type { Settings } from '../control/network-control.ts'
import type { CeremonyStage, CeremonyView, PasskeyBends, PublicJwk, RelayItem } from '../control/passkeys.ts'
import type { ComposeContext } from '../people/compose-form.ts'
import type { SignalDevice } from '../people/device.ts'
import type { Answers } from '../watch/answers.ts'
import type { Expectations } from '../watch/expectations.ts'
import type { Trace } from '../watch/trace.ts'
import type { Trust } from '../wire/certificate.ts'
import type { BinaryNode } from '../wire/node.ts'
import type { ClientHandshake } from '../wire/noise.ts'
import type { BusinessProfile } from './business.ts'
import type { CompanionNode } from './companions.ts'
import type { Faults } from './faults.ts'
import type { Inbox } from './inbox.ts'

export type Platform = 'android' | 'ios' | 'smba' | 'smbi'
export type ReceiptMode = Settings['receipts']

/** A person with a number: a simulated phone (which can link companions) or a contact. */
export interface Person {
  readonly number: string
  lid: string
  name: string
  platform: Platform
  /** Made through `POST /phones`: owns device 0 and links gateway instances. */
  isPhone: boolean
  /** Created because the number was addressed. */
  isAutomatic: boolean
  business: boolean
  /** Code of the contact link; absent until queried. */
  contactCode?: string | undefined
  email?: string | undefined
  /** Ids of the terms that a linked device reported as accepted. */
  notices?: Set<string> | undefined
  /** JIDs it reported, oldest first. */
  reports?: string[] | undefined
  username?: string | undefined
  /** Four digits that strangers have to know besides the user name. */
  usernameKey?: string | undefined
  /** The verified name of a business, where it differs from its name. */
  verifiedName?: string | undefined
  receipts: ReceiptMode | undefined
  picture: string | undefined
  /** How often a linked device queried it. */
  pictureQueries?: number
  about: string | undefined
  /** When the about text was set; of none, when the person came into being. Epoch s. */
  aboutAt: number
  /** A text shown beside the name for a while. Times in seconds. */
  textStatus?: { text: string | null; emoji: string | null; duration: number; at: number } | undefined
  blockedMe: boolean
  /** Messages of strangers are refused with 463: of accounts without its token, or one made with the salt of their phone. */
  needsToken?: boolean
  /** The salt with which a phone's linked devices make tokens for new chats. */
  chatTokenSalt?: Buffer | undefined
  /** People who may add it to groups; a contact presents the token it was given. */
  groupAdd: 'all' | 'contacts' | 'none'
  /** Tokens it gave, in hex, by the number of the person trusted. */
  trusted?: Map<string, string>
  /** Of a phone: it links no device without it. */
  passkey?: Passkey | undefined
  /** The last linking that the passkey was demanded for. Not saved. */
  ceremony?: Ceremony
  /** Takes messages without decrypting them: a contact for load. */
  isSink: boolean
  /** Sends a retry receipt for what it cannot read, as phones do. */
  asksAgain: boolean
  /** `messages`: in each chat, one when absent. `saved`: of these people, how many are in the address book. */
  history: { chats: number; contacts: number; messages?: number | undefined; saved?: number | undefined }
  /** Devices the simulator itself plays; 0 is the phone. */
  devices: PretendDevice[]
  /** Linked devices with their own connection: gateway instances. */
  companions: Map<number, Companion>
  nextDevice: number
  presence: 'available' | 'unavailable'
  lastSeen: number
  /** Linked devices subscribed to its presence, and the name they used; for as long as they are connected. */
  subscribers: Map<Companion, 'lid' | 'pn'>
  inbox: Inbox
  /** Own messages by id, newest last, for contacts' devices that ask again. */
  sent: Map<string, SentMessage>
  /** Stanzas of the latest messages as linked devices got them, by id, so that they can be sent again. Not saved. */
  replayable: Map<string, { to: Companion; stanza: BinaryNode }[]>
  /** Signals of the gateway to this person: receipts and typing, newest last. */
  signals: Signal[]
  /** JIDs and names this account has set aside or set up, of a phone. */
  blocklist: Set<string>
  /** Accounts that queried the device list: they are notified when it changes. */
  watchers: Set<string>
  /** Numbers left out of a privacy setting, by its name. */
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
  /** `<number>.<device>`: the name other devices keep its session under. */
  readonly address: string
  /** Made at first use: most devices of a network never get a message. */
  readonly signal: SignalDevice
  readonly hasSignal: boolean
  /** Messages it could read. */
  received: number
  /** Runs jobs one after the other: a ratchet has no lock of its own. */
  turn<T>(job: () => Promise<T>): Promise<T>
}

export interface PublicSignedKey {
  id: number
  publicKey: Buffer
  signature: Buffer
}

/** A linked device as the server knows it: public keys and what waits for it. */
export interface Companion {
  readonly person: Person
  readonly device: number
  readonly address: string
  /** Long-term Noise public key: the only proof of identity at login. */
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
  /** It has asked which groups it is in: what happened in them since waits for it. */
  hasReadGroups?: boolean
  /** Stanzas not acknowledged yet, oldest first: sent again at the next login. */
  pending: Map<string, BinaryNode>
  /** Messages whose failure was answered by a retry receipt: the nack that follows is about the old copy. */
  nacksToIgnore: Set<string>
  isAvailable: boolean
  connection: Connection | undefined
  /** Counts sent with its last login. Not saved. */
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
  /** When a member asked for the suspension to be lifted; epoch s. */
  appealedAt?: number
  invite: string
  isCommunity: boolean
  /** Of a community: members may add groups to it. */
  membersAddGroups: boolean
  /** Of a community's groups: where its announcements are. */
  isAnnouncementGroup: boolean
  linkedParent: string | undefined
  picture: string | undefined
  pictureQueries?: number
  /** Devices that have a simulated device's sender key: author's address to addresses. */
  keyHolders: Map<string, Set<string>>
  /** The client's own name for its making: the same asked again makes no other. */
  key?: string
  /** How many fit in. Absent: as many as the network takes (`groups.ts`). */
  capacity?: number
  /** Codes of invitations that were revoked. */
  revokedInvites?: Set<string>
  /** Numbers of people removed by an admin: they cannot join by the link any more. */
  removed?: Set<string>
  /** Settings that are there or not, by the tag that the network has for them. Absent in what an earlier release saved. */
  flags?: Set<string>
  /** Settings with a keyword as their value: `member_link_mode`, `member_share_group_history_mode`. */
  modes?: Map<string, string>
  /** Of everything but the members. */
  settingsVersion?: string
  /** Of the list of members: the server names it with each change. Absent in what an earlier release saved. */
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
  /** Answers to queries ordered through the control API in place of ours. */
  readonly answers: Answers
  readonly calls: Calls
  /** By number. */
  readonly people: Map<string, Person>
  readonly lids: Map<string, Person>
  readonly groups: Map<string, Group>
  readonly connections: Set<Connection>
  /** Connections that show a code, by each reference in it. */
  readonly refs: Map<string, Connection>
  /** Secrets of codes that a `companion_reg_refresh` made useless. */
  readonly retiredSecrets: Set<string>
  readonly newsletters: Map<string, Newsletter>
  /** Where media is uploaded to: `host:port`. */
  mediaHost: string | undefined
  /** Where phones put what is too large for a stanza. */
  upload: ComposeContext['upload'] | undefined
  isDown: boolean
  forged: Set<'root' | 'leaf' | 'account_signature'>
  /** Something that is kept was changed: the state file is due. */
  changed(): void
  /** A job that outlives the stanza that began it; failures end up in `failures`. */
  run(job: Promise<unknown>): void
  /** Timers of the network itself (receipts, bursts, calls), cleared when it stops. */
  later(delayMs: number, job: () => void): void
  readonly failures: string[]
  /** Adds to `failures`: errors that no caller awaits. */
  note(failure: string): void
}

export type Message = proto.IMessage

export interface Post {
  serverId: number
  id: string
  at: number
  message: Uint8Array
  /** By the reader's number. */
  reactions: Record<string, string>
  /** Of the stanza it came with, or was last edited with. */
  attrs?: Record<string, string>
  mediaType?: string | undefined
  /** Of the stanza: `text`, `media`, `poll`; absent in what an earlier release saved. */
  type?: string | undefined
  meta?: Record<string, string> | undefined
}

export interface Follower {
  role: 'OWNER' | 'ADMIN' | 'SUBSCRIBER'
  isMuted: boolean
  /** Setting of an administrator: no notices of new followers. */
  hidesFollowers?: boolean
}

export interface Newsletter {
  id: string
  name: string
  description: string
  createdAt: number
  invite: string
  owner: string
  /** By number. */
  subscribers: Map<string, Follower>
  posts: Post[]
  picture?: string | undefined
  /** ACTIVE when absent. */
  state?: 'ACTIVE' | 'SUSPENDED' | 'GEOSUSPENDED'
  isVerified?: boolean
  handle?: string
  /** ALL when absent. */
  reactionCodes?: string
  /** Where the directory shows it. */
  listing?: { views: string[]; country: string }
  /** How often a linked device asked what it is. */
  metadataQueries?: number
  /** Numbers invited to run it. */
  invited?: string[]
  /** Linked devices subscribed to live updates, by address, until when (epoch seconds). */
  live?: Map<string, number>
}

/** One collection of an account's settings. The server has versions and ciphertext; the phone's plaintext state is kept beside. */
export interface Collection {
  version: number
  /** Encoded `SyncdPatch`es with their version filled in; the first is version 1. */
  patches: Buffer[]
  /** LTHash over the current values, and each index' value MAC: what the phone needs to write patches of its own. */
  hash: Buffer
  valueMacs: Map<string, Buffer>
  /** The entries, encoded (`SyncdRecord`), by the same index. */
  records?: Map<string, Buffer>
}

export interface AppState {
  keyId: Buffer | undefined
  keyData: Buffer | undefined
  collections: Map<string, Collection>
  /** Actions as the phone read them, by their index as JSON text. */
  actions: Map<string, unknown>
  /** Errors in patches of linked devices. */
  problems?: string[]
}

export type CallState = 'ringing' | 'rejected' | 'missed' | 'ended'

export interface Call {
  id: string
  from: Person
  to: Person
  state: CallState
}

export type Calls = Map<string, Call>

/** Stanzas that waited for a linked device, on their way to it. */
export interface Backlog {
  /** Keys of the stanzas, in order. */
  readonly keys: readonly string[]
  /** How many of the keys have had their turn. */
  next: number
  sent: number
  /** How many more may be sent by now. */
  allowed: number
  /** Keys of what was queued since the login, or again: it is sent behind the backlog. */
  readonly later: Set<string>
  /** Called when all of it was sent. */
  done(): void
}

/** One client's socket, from the handshake to its end. */
export interface Connection {
  /** Unique over restarts: what a trace calls it. */
  readonly id: string
  readonly network: Network
  /** Set by a login. */
  companion: Companion | undefined
  /** Set by a device that has no account yet and wants to be linked. */
  registration: ClientHandshake | undefined
  /** Set once the passkey was demanded of it. */
  ceremony?: Ceremony
  /** True once the stored stanzas were sent: from then on new ones are sent immediately. */
  isLive: boolean
  /** While they are sent (`offline-queue.ts`). */
  backlog: Backlog | undefined
  readonly isOpen: boolean
  /** `isOrdered`: somebody told the network to say so, in place of what it would say; a trace has it marked. */
  send(item: BinaryNode, isOrdered?: boolean): void
  /** A frame of these bytes, whatever they are: the first says whether the rest is deflated. */
  sendFrame(payload: Uint8Array): void
  /** An undecodable frame: the client's counters are off from here on. */
  sendGarbage(): void
  /** Answer of the client to an `<iq>` of ours. */
  expect(id: string): Promise<BinaryNode>
  /** Sends a last stanza, if any, and closes. */
  end(last?: BinaryNode): void
  /** Breaks the socket without a last stanza. */
  cut(): void
}

export type Cipher = 'pkmsg' | 'msg' | 'skmsg'

/** One device's copy of a message that a linked device sent. */
export interface DeviceCopy {
  id: string
  from: Companion
  /** Where it was sent to, as the sender wrote it: receipts come back under the same addressing. */
  chat: string
  encs: { type: Cipher; ciphertext: Buffer; attrs: Record<string, string> }[]
  /** From the phone's point of view: a message of the account itself. */
  isPeer: boolean
  /** Number of retry requests for it. */
  count: number
  /** Nodes beside the ciphertexts. */
  nodes: CompanionNode[]
  /** Attributes of the stanza. */
  attrs: Record<string, string>
  /** Tags of everything in the stanza. */
  tags: string[]
}

/** The passkey of a phone that demands one, and how its owner and its app behave. */
export interface Passkey {
  credentialId: Buffer
  userHandle: Buffer | undefined
  publicJwk: PublicJwk
  /** PKCS #8. Absent when only the public key was given. */
  privateKey: Buffer | undefined
  app: 'front' | 'back'
  answers: 'yes' | 'no' | 'never'
  limit: boolean
  playedBy: 'simulator' | 'program'
  bend: PasskeyBends
}

/** The phone's side of a ceremony: the simulator's own, or a program's. */
export interface Primary {
  takePrologue(prologue: Prologue): void
  takeNonce(nonce: Buffer): void
  takeRequest(sealed: Buffer): void
  /** The owner's answer. False when nothing is asked. */
  answer?(yes: boolean, code?: string): boolean
  /** WhatsApp leaves the foreground. */
  leave?(): void
}

/** A prologue that the server accepted. */
export interface Prologue {
  credentialId: Buffer
  challenge: Buffer
  assertion: Buffer
  payload: Buffer
  proof: Buffer | undefined
}

export interface Challenge {
  value: Buffer
  /** Epoch ms. */
  issuedAt: number
  isUsed: boolean
}

/** One linking by a phone that demands its passkey. The phone keeps the last one, so that the control API can show how it ended. */
export interface Ceremony {
  readonly network: Network
  readonly phone: Person
  readonly passkey: Passkey
  readonly connection: Connection
  /** The secret that the phone knows: the one in the QR code, or the one agreed on with the typed code. */
  readonly handedSecret: Buffer
  /** Time at which the phone accepted the code. Epoch ms. */
  readonly startedAt: number
  readonly refs: Set<string>
  readonly problems: string[]
  readonly acks: CeremonyView['acks']
  readonly relayed: RelayItem[]
  /** Readers who wait for something to be relayed. */
  readonly waiting: Set<() => void>
  primary: Primary
  /** The query that the server takes next; a prologue is taken until the sealed request was. */
  awaits: 'prologue' | 'nonce' | 'sealed_request' | 'nothing'
  stage: CeremonyStage
  challenge: Challenge | undefined
  prologues: number
  asks: CeremonyView['asks']
  proof: CeremonyView['proof']
  code: string | undefined
  device: number | undefined
}
