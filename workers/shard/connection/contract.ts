/** Interface between the connection of one linked device and the rest of the shard: its dependencies, its events and its methods. */
import type {
  AuthenticationCreds,
  AuthenticationState,
  BaileysEventMap,
  BinaryNode,
  WAMessageKey,
  WAVersion,
} from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Clock } from '../../../src/domain/clock.ts'
import type { Restriction } from '../../../src/domain/instance.ts'
import type { NetworkOptions } from '../../../src/engine/engine.ts'
import type { Tally } from '../../../src/metrics/tally.ts'
import type { KeyHolders } from '../keys/key-holders.ts'
import type { MakeSignalRepository } from '../keys/signal/signal-repository.ts'
import type { CompanionRefresh } from '../network/companion-refresh.ts'
import type { LoginCounts } from '../network/login-counts.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import type { QrClock } from '../network/qr-clock.ts'
import type { PrivacySettings } from '../wire/privacy.ts'
import type { ServerProps } from '../wire/server-props.ts'
import type { Ask, AskOptions } from './ask.ts'
import type { DeviceLists } from './device-lists.ts'
import type { Closed } from './disconnect.ts'
import type { Identity, LidPair } from './identity.ts'
import type { MexIds } from './mex.ts'
import type { NetworkRoute } from './network-route.ts'
import type { PasskeyEvents } from './pairing/passkey-ceremony.ts'
import type { PasskeyPairing, SocketPasskey } from './pairing/passkey-pairing.ts'
import type { AskPhone } from './relay/ask-phone.ts'
import type { MessageRelay } from './relay/message-relay.ts'
import type { RecipientDevices } from './relay/recipient-devices.ts'
import type { RestrictionWatch } from './restriction/restriction-watch.ts'
import type { AckOutcome } from './socket/acks.ts'
import type { Traffic } from './socket/liveness.ts'
import type { Router, Table } from './socket/stanza-router.ts'
import type { CountUnknown } from './socket/unknown-stanzas.ts'
import type { TrustedTokens } from './tokens/trusted-tokens.ts'

export interface SessionEvents extends PasskeyEvents {
  socketOpened(): void
  /** Called when a QR code can be shown. `expiresAt` is in epoch ms. */
  qr(payload: string, expiresAt: number): void
  /** Called when the QR code that is shown now must be replaced, because it has a new secret. */
  qrReplaced(payload: string): void
  /** Called when the phone has accepted the QR code or pairing code, and the credentials are saved. */
  paired(): void
  /** Called when the network has accepted the login. The session is open only after its first queries are answered. */
  loggedIn(): void
  opened(): void
  closed(closed: Closed): void
  /** Called when the credentials contain a name of the account. */
  named(name: string): void
  /** Called when the network has stated whether the account is restricted, also if nothing has changed. */
  restricted(restriction: Restriction | null): void
}

export interface ConnectionDeps {
  instance: string
  creds: AuthenticationCreds
  /** Keys and credentials of the socket. */
  auth: AuthenticationState
  makeSignalRepository: MakeSignalRepository
  holders: KeyHolders
  /** Writes the current credentials. */
  save(): void
  /** Resolves when all changes so far are on disk. After the first failed write, it always rejects. */
  settled(): Promise<void>
  /** Rejects if this socket must not log in, because another service owns the account now. Absent if there can be no other service. */
  confirmOwner: (() => Promise<void>) | undefined
  /** Whether the network should deliver a stanza again after its handler failed. Each call counts as an attempt. */
  isWorthAnother(stanza: string): boolean
  /** Called when the socket has ended, before all other listeners are. From then on nothing may be decrypted. */
  onEnd(): void
  /** Called when a frame has arrived. */
  onFrame(): void
  network: NetworkOptions
  route: NetworkRoute
  version: WAVersion
  loginCounts: LoginCounts
  /** Document numbers of GraphQL operations, from the configuration. */
  mexIds: MexIds
  /** Time in ms after which a connection counts as stalled, if stanzas arrive and none of them is handled. */
  stalledAfterMs?: number | undefined
  /** Restriction of the account that was known before this session. */
  restriction: Restriction | null
  passkeys: Pick<PasskeyPairing, 'attach'>
  tally: Tally
  countUnknown: CountUnknown
  clock: Clock
  /** Reports the network's time, in epoch ms. */
  learnTime(at: number, isLogin: boolean): void
  steady: Clock
  log: Logger
  events: SessionEvents
}

/** A connection whose stanzas have no handlers yet. */
export interface OpenedConnection {
  connection: Connection
  own: OwnParts
  /**
   * Handles stanzas, except for those that the connection itself needs. Must be called in the turn of the event loop in
   * which the connection was opened, before any stanza can arrive.
   */
  serve(table: Table): void
}

/** Functions of the connection that handlers of its stanzas need, to change the connection itself. */
export interface OwnParts {
  acks: { came(ack: BinaryNode): void }
  companion: CompanionRefresh
  qrClock: QrClock
  watchdog: { answered(): void }
  /** Called when the network has accepted the login. `networkSeconds`: time of the network, if it states one. */
  loggedIn(networkSeconds: number | undefined): void
  restriction: Pick<RestrictionWatch, 'lockChanged'>
  mediaAnswered(answer: MediaAnswer): void
  passkey: SocketPasskey
  /** Whether the account shows itself as available. */
  isAvailable(): boolean
  /** Passes the stanza to the table of handlers again. */
  take(node: BinaryNode): void
  /** Resolves when all stanzas that were received so far and match are handled. */
  before: Router['before']
  /** Closes the connection. On the next one, the network delivers all unconfirmed stanzas again. */
  cut(): void
}

/** The network's answer to a sent message: accepted, or refused with a code. `serverId` is the number of a channel post. */
export type Verdict = Exclude<AckOutcome, string>
export type MediaAnswer = BaileysEventMap['messages.media-update'][number]

export interface Connection {
  readonly sock: NetworkSocket
  /** The account itself. Unlike `sock.user`, this includes a name or LID that was learned after the socket was created. */
  readonly me: AuthenticationCreds['me']
  readonly identity: Identity
  readonly devices: DeviceLists
  /** Aborted when the socket ends; `within.ts` then ends every wait on the network. */
  readonly ended: AbortSignal
  /** Platform of the phone, from the pairing; undefined if it was not sent. */
  readonly platform: string | undefined
  /** Creates access to the network for queries. */
  asking(options: AskOptions): Ask
  /** Stores pairs of number and LID from the network's answers. */
  learnPairs(pairs: readonly LidPair[]): Promise<void>
  /** Returns LIDs of people by number, queried from the network if unknown. A person without one is omitted. */
  fetchLids(pns: string[]): Promise<LidPair[]>
  /** The network's current properties. */
  readonly serverProps: Readonly<ServerProps>
  /** Queries the privacy settings. `markRead` uses the last answer. */
  privacySettings(): Promise<PrivacySettings>
  /** Marks messages as read. Their authors are told if the privacy settings allow it. */
  markRead(keys: readonly WAMessageKey[]): Promise<void>
  /** Shows the account as available or not, to everybody who may see it. Without a name nothing is sent. */
  announce(isAvailable: boolean): Promise<void>
  readonly tokens: TrustedTokens
  /** Requests a code by which a phone can be paired instead of the QR code. */
  pairingCode(digits: string): Promise<string>
  readonly isOpen: boolean
  /** Whether the account shows itself as available. */
  readonly isAvailable: boolean
  /** Number of stanzas that were received since the login, and how many of them were handled. */
  traffic(): Traffic
  /** Time of the last stanza in epoch ms, or of the login before the first stanza. Null before the login. */
  lastInboundAt(): number | null
  /**
   * Whether the network restricts the account. For a restricted account, a send must not be retried with the person's other kind of JID, because each
   * further send can make the restriction worse.
   */
  isRestricted(): boolean
  /** Queries the network whether it restricts the account. */
  refreshRestriction(): Promise<void>
  /**
   * Registers a message whose ack is awaited. Call it before the send, because the ack can arrive before the send
   * resolves. `to` is the chat as in the stanza. Call `verdict` after the send: the deadline of the ack begins with this
   * call. It rejects with `send_timeout` or `instance_not_connected`. Call `giveUp` if the send threw.
   */
  ack(messageId: string, to: string): { verdict(): Promise<Verdict>; giveUp(): void }
  /** Sends messages. Rejects with a `Failure`. */
  readonly relay: MessageRelay
  readonly devicesOfGroup: RecipientDevices['ofGroup']
  /** Replaces the session with a device by a new one. */
  renewSession(jid: string): Promise<void>
  /** Requests data from the account's own phone. */
  readonly askPhone: AskPhone
  /** Registers a listener for the answers of phones that were asked to upload a file again. Returns a function that unsubscribes. */
  onMediaAnswer(listener: (answer: MediaAnswer) => void): () => void
  /** Ends the socket without logging out. Nothing is reported afterwards. */
  end(): Promise<void>
  /** Removes the linked device from the account, then ends the socket. Takes at most `deadlineMs`. */
  logout(deadlineMs: number): Promise<void>
}

/** Events of a connection, with the names that the state table (`lifecycle/`) has for them. */
export type ConnectionEvent =
  | { type: 'socketOpened' }
  | { type: 'qrShown' }
  /** The phone accepted the QR code or pairing code, and the credentials are saved. */
  | { type: 'paired'; phone: string | null; platform: string | null }
  /** The network has accepted the login. If the connection ends after this, it does not count as a failed login. */
  | { type: 'loggedIn' }
  | { type: 'opened'; phone: string | null; profileName: string | null; platform: string | null }
  /** The owner changed the name of the account, or the phone sent the name for the first time. */
  | { type: 'nameChanged'; profileName: string }
  | { type: 'restrictionChanged'; restriction: Restriction | null }
  /** `code`: `lastDisconnect.error.output.statusCode`, null if there is none. `expireSeconds`: only with 402. */
  | { type: 'closed'; code: number | null; message: string; expireSeconds: number | null }
  /**
   * A session could not be started. `proxy`: the proxy refused. `handshake`: the handshake took longer than 20 s, or the upgrade to a WebSocket got
   * an HTTP error. `store`: the stored device is unreadable. `storeAway`: the store could not be read at the moment.
   */
  | { type: 'startFailed'; cause: 'proxy' | 'handshake' | 'store' | 'storeAway' }
  /** The account requires its passkey. The network's WebAuthn options can be signed for `lifeMs`. */
  | { type: 'passkeyAsked'; lifeMs: number }
  /** The network accepted the assertion; the phone must now confirm. */
  | { type: 'passkeyAccepted' }
  /** The network refused the assertion, or the phone did not answer. New WebAuthn options will follow. */
  | { type: 'passkeyTryAgain'; lifeMs: number }
  /** The pairing with the passkey has failed. */
  | { type: 'passkeyEnded' }
