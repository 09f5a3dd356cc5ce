/** One linked device on the wire, as the rest of the shard sees it: what it needs, what it reports, and what it can be asked for. */
import type {
  AuthenticationCreds,
  AuthenticationState,
  BaileysEventMap,
  BinaryNode,
  WASocket,
  WAVersion,
} from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Clock } from '../../../src/domain/clock.ts'
import type { Restriction } from '../../../src/domain/instance.ts'
import type { NetworkOptions } from '../../../src/engine/engine.ts'
import type { Tally } from '../../../src/metrics/tally.ts'
import type { CompanionRefresh } from '../baileys/companion-refresh.ts'
import type { QrClock } from '../baileys/qr-clock.ts'
import type { Ask, AskOptions } from './ask.ts'
import type { DeviceLists } from './device-lists.ts'
import type { Closed } from './disconnect.ts'
import type { Identity, LidPair } from './identity.ts'
import type { MexIds } from './mex.ts'
import type { NetworkRoute } from './network-route.ts'
import type { PasskeyEvents } from './pairing/passkey-ceremony.ts'
import type { PasskeyPairing, SocketPasskey } from './pairing/passkey-pairing.ts'
import type { RestrictionWatch } from './restriction-watch.ts'
import type { AckOutcome } from './socket/acks.ts'
import type { Traffic } from './socket/liveness.ts'
import type { PersonRelay } from './socket/person-relay.ts'
import type { SocketParts } from './socket/socket.ts'
import type { Router, Table } from './socket/stanza-router.ts'
import type { CountUnknown } from './socket/unknown-stanzas.ts'
import type { TrustedTokens } from './trusted-tokens.ts'

export interface SessionEvents extends PasskeyEvents {
  socketOpened(): void
  /** `expiresAt` epoch ms. */
  qr(payload: string, expiresAt: number): void
  /** The same code with a new secret. */
  qrReplaced(payload: string): void
  /** The phone accepted the code; the credentials are saved. */
  paired(): void
  /** The network has accepted the login. The session is open once the first queries are answered. */
  loggedIn(): void
  opened(): void
  closed(closed: Closed): void
  /** The name of the account, as it stands in the credentials. */
  named(name: string): void
  /** Also when it is the same again. */
  restricted(restriction: Restriction | null): void
}

export interface ConnectionDeps {
  instance: string
  creds: AuthenticationCreds
  /** Keys and credentials of the socket. */
  auth: AuthenticationState
  makeSignalRepository: SocketParts['makeSignalRepository']
  getMessage: SocketParts['getMessage']
  groupMetadata: SocketParts['groupMetadata']
  /** The credentials, as they are now, are written. */
  save(): void
  /** All that changed up to now is on disk. Rejects from the first write on that failed. */
  settled(): Promise<void>
  /** Handling of stanzas, except for those that the connection itself needs. */
  table(connection: Connection, own: OwnParts): Table
  /** Whether a stanza that could not be handled is to be delivered again. Counts the attempt. */
  isWorthAnother(stanza: string): boolean
  /** The socket has ended: nothing may be opened any more. Called before any other listener. */
  onEnd(): void
  network: NetworkOptions
  route: NetworkRoute
  version: WAVersion
  /** Numbers of GraphQL operations, from the configuration. */
  mexIds: MexIds
  /** How long stanzas may come without one being handled, in ms. */
  stalledAfterMs?: number | undefined
  /** The restriction known before this session. */
  restriction: Restriction | null
  passkeys: Pick<PasskeyPairing, 'attach'>
  tally: Tally
  countUnknown: CountUnknown
  clock: Clock
  /** The network has said what time it is, epoch ms. */
  learnTime(at: number, isLogin: boolean): void
  steady: Clock
  log: Logger
  events: SessionEvents
}

/** Effects of the table's rows on the connection itself. */
export interface OwnParts {
  acks: { came(ack: BinaryNode): void }
  companion: CompanionRefresh
  qrClock: QrClock
  watchdog: { answered(): void }
  /** The network has accepted the login, at this second of its time where it says so. */
  loggedIn(networkSeconds: number | undefined): void
  restriction: Pick<RestrictionWatch, 'lockChanged'>
  /** A query of ours, whichever, was answered with an error. */
  queryRefused(answer: BinaryNode): void
  mediaAnswered(answer: MediaAnswer): void
  passkey: SocketPasskey
  /** The account shows itself as available. */
  isAvailable(): boolean
  /** Gives the stanza to the table once more. */
  take(node: BinaryNode): void
  /** Of the stanzas that came until now: resolves when those that fit are through. */
  before: Router['before']
  /** Without the connection everything unconfirmed is delivered again. */
  cut(): void
}

/** `serverId` of a channel post. */
export type Verdict = Exclude<AckOutcome, string>
export type MediaAnswer = BaileysEventMap['messages.media-update'][number]

export interface Connection {
  readonly sock: WASocket
  /** The account itself. `sock.user` is what it was when the socket was made: a name or LID learned since is not in it. */
  readonly me: AuthenticationCreds['me']
  readonly identity: Identity
  readonly devices: DeviceLists
  /** Aborted when the socket ends: `within.ts` ends every wait on the network with it. */
  readonly ended: AbortSignal
  /** The phone's platform as sent at the pairing; undefined if it was not. */
  readonly platform: string | undefined
  /** Queries to the network. */
  asking(options: AskOptions): Ask
  /** Stores pairs of number and LID from the network's answers. */
  learnPairs(pairs: readonly LidPair[]): Promise<void>
  /** The LIDs of people by number, queried from the network where unknown. A person without one is left out. */
  fetchLids(pns: string[]): Promise<LidPair[]>
  readonly tokens: TrustedTokens
  /** A code by which a phone can be paired instead of the QR. */
  pairingCode(digits: string): Promise<string>
  readonly isOpen: boolean
  /** The account shows itself as there. */
  readonly isAvailable: boolean
  /** Stanzas that came since the login, and how many of them are through. */
  traffic(): Traffic
  /** When the last of them came, epoch ms; before the first, when the login succeeded. Null: it has not. */
  lastInboundAt(): number | null
  /** While the network restricts the account, tries in the other namespace only make it worse. */
  isRestricted(): boolean
  /** Asks the network whether it does. */
  refreshRestriction(): Promise<void>
  /**
   * Arm it before the send, `to` as its stanza names the chat; call `verdict` after the send, when its time begins: it rejects with `send_timeout`,
   * `instance_not_connected`. Call `giveUp` if the send threw.
   */
  ack(messageId: string, to: string): { verdict(): Promise<Verdict>; giveUp(): void }
  /** Sends to a person of whom everything is known. Rejects with a `Failure`, as a function of the library by `ask.perform`. */
  readonly toPerson: PersonRelay
  /** Calls back with the answers of phones that were asked to upload a file again; returns a function that unsubscribes. */
  onMediaAnswer(listener: (answer: MediaAnswer) => void): () => void
  /** Ends the socket without logging out. Nothing is reported any more. */
  end(): Promise<void>
  /** Removes the linked device from the account, then ends. At most `deadlineMs`. */
  logout(deadlineMs: number): Promise<void>
}

/** Events of a connection, as the state table (`lifecycle/`) names them. */
export type ConnectionEvent =
  | { type: 'socketOpened' }
  | { type: 'qrShown' }
  /** The phone accepted the code; credentials are saved. */
  | { type: 'paired'; phone: string | null; platform: string | null }
  /** The network has accepted the login: whatever ends the connection from here on is not a login that failed. */
  | { type: 'loggedIn' }
  | { type: 'opened'; phone: string | null; profileName: string | null; platform: string | null }
  /** The person changed the name, or the phone sent it for the first time. */
  | { type: 'nameChanged'; profileName: string }
  | { type: 'restrictionChanged'; restriction: Restriction | null }
  /** `code`: `lastDisconnect.error.output.statusCode`, null when there is none. `expireSeconds`: of a 402. */
  | { type: 'closed'; code: number | null; message: string; expireSeconds: number | null }
  /** The proxy refused, no handshake within 20 s, HTTP error in place of the upgrade, or the store could not be read. */
  | { type: 'startFailed'; cause: 'proxy' | 'handshake' | 'store' }
  /** The account demands its passkey: there is something to sign for `lifeMs`. */
  | { type: 'passkeyAsked'; lifeMs: number }
  /** The network accepted the assertion; the phone is next. */
  | { type: 'passkeyAccepted' }
  /** The network refused the assertion, or the phone did not answer: new options follow. */
  | { type: 'passkeyTryAgain'; lifeMs: number }
  /** The pairing with the passkey has failed. */
  | { type: 'passkeyEnded' }
