/**
 * Interface between the connection of one linked device and the rest of the shard: its dependencies, its events and its
 * methods.
 */
import type { AuthenticationCreds, BaileysEventMap, BinaryNode, WAMessageKey, WAVersion } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Clock } from '../../../src/domain/clock.ts'
import type { Restriction } from '../../../src/domain/instance.ts'
import type { NetworkOptions } from '../../../src/engine/engine.ts'
import type { Tally } from '../../../src/metrics/tally.ts'
import type { KeyHolders } from '../keys/key-holders.ts'
import type { MakeSignalRepository } from '../keys/signal/signal-repository.ts'
import type { CompanionRefresh } from '../network/companion-refresh.ts'
import type { LoginCounts } from '../network/login/login-counts.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import type { QrClock } from '../network/qr-clock.ts'
import type { PrivacySettings } from '../wire/privacy.ts'
import type { ServerProps } from '../wire/server-props.ts'
import type { Ask, AskOptions } from './ask.ts'
import type { DeviceLists } from './device-lists.ts'
import type { Closed } from './disconnect.ts'
import type { Identity, IdentityState, LidPair } from './identity.ts'
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
  /** Called when a QR code can be shown. `expiresAt` is a time of the monotonic clock. */
  qr(payload: string, expiresAt: number): void
  qrReplaced(payload: string): void
  paired(): void
  /** Called when the network has accepted the login. The session is open only after its first queries have ended. */
  loggedIn(): void
  opened(): void
  closed(closed: Closed): void
  named(name: string): void
  /**
   * Called when the network has stated whether the account is restricted, even if nothing has changed. Also called when
   * the announced end of the restriction has passed.
   */
  restricted(restriction: Restriction | null): void
}

export interface ConnectionDeps {
  instance: string
  creds: AuthenticationCreds
  auth: IdentityState
  makeSignalRepository: MakeSignalRepository
  holders: KeyHolders
  save(): void
  /** Resolves when all changes so far are on disk. After the first failed write, it always rejects. */
  settled(): Promise<void>
  /**
   * Rejects if another service owns the account now: this socket must then not log in. Absent if no other service can
   * exist.
   */
  confirmOwner: (() => Promise<void>) | undefined
  /** Whether this service still owns the account. If another service may own it now, no frame may be sent. */
  isHeld(): boolean
  /** Whether the network should deliver a stanza again after its handler failed. Each call counts as an attempt. */
  isWorthAnother(stanza: string): boolean
  /** Called at once when the socket has ended. From then on nothing may be decrypted. */
  onEnd(): void
  onFrame(): void
  network: NetworkOptions
  route: NetworkRoute
  version: WAVersion
  loginCounts: LoginCounts
  mexIds: MexIds
  /** Time in ms after which a connection counts as stalled, if stanzas of one kind wait and none is handled. */
  stalledAfterMs?: number | undefined
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

export interface OpenedConnection {
  connection: Connection
  own: OwnParts
  /**
   * Handles stanzas from now on. Call it in the turn of the event loop in which the connection was opened, before any
   * stanza can arrive.
   */
  serve(table: Table): void
}

export interface OwnParts {
  acks: { came(ack: BinaryNode): void }
  companion: CompanionRefresh
  qrClock: QrClock
  watchdog: { answered(): void }
  loggedIn(networkSeconds: number | undefined): void
  restriction: Pick<RestrictionWatch, 'lockChanged'>
  mediaAnswered(answer: MediaAnswer): void
  passkey: SocketPasskey
  isAvailable(): boolean
  take(node: BinaryNode): void
  before: Router['before']
  cut(): void
}

export type Verdict = Exclude<AckOutcome, string>
export type MediaAnswer = BaileysEventMap['messages.media-update'][number]

export interface Connection {
  readonly sock: NetworkSocket
  /** The linked account. Includes a name or LID that was learned after the login. */
  readonly me: AuthenticationCreds['me']
  readonly identity: Identity
  readonly devices: DeviceLists
  /** Aborted when the socket ends. The functions of `within.ts` then stop waiting for the network. */
  readonly ended: AbortSignal
  readonly platform: string | undefined
  asking(options: AskOptions): Ask
  learnPairs(pairs: readonly LidPair[]): Promise<void>
  /** Unknown LIDs are queried from the network; people without a LID are omitted. */
  fetchLids(pns: string[]): Promise<LidPair[]>
  readonly serverProps: Readonly<ServerProps>
  privacySettings(): Promise<PrivacySettings>
  /** Marks messages as read. Their authors learn this only if the privacy settings allow it. */
  markRead(keys: readonly WAMessageKey[]): Promise<void>
  /** Shows the account as available or not. Sends nothing while the account has no name. */
  announce(isAvailable: boolean): Promise<void>
  readonly tokens: TrustedTokens
  pairingCode(digits: string): Promise<string>
  readonly isOpen: boolean
  readonly isAvailable: boolean
  traffic(): Traffic
  /**
   * Time of the monotonic clock at which the last message, receipt, notification or call arrived, or of the login
   * before the first one. Null before the login.
   */
  lastInboundAt(): number | null
  /**
   * Whether the network restricts the account. Sends of a restricted account are not repeated with the person's other
   * jid, because each send can make the restriction worse.
   */
  isRestricted(): boolean
  refreshRestriction(): Promise<void>
  /**
   * Must be called before the send, because the ack can arrive before the send resolves. `verdict` starts the deadline,
   * and rejects with `send_timeout` or `instance_not_connected`. Call `giveUp` if the send threw.
   */
  ack(messageId: string, to: string): { verdict(): Promise<Verdict>; giveUp(): void }
  /** Sends messages. Rejects with a `Failure`. */
  readonly relay: MessageRelay
  readonly devicesOfGroup: RecipientDevices['ofGroup']
  renewSession(jid: string): Promise<void>
  readonly askPhone: AskPhone
  /**
   * Subscribes to the answers of phones that were asked to upload a file again. Returns a function that unsubscribes.
   */
  onMediaAnswer(listener: (answer: MediaAnswer) => void): () => void
  end(): Promise<void>
  /**
   * Removes the linked device from the account, and then ends the socket, also if the removal failed. The removal takes
   * at most `deadlineMs`.
   */
  logout(deadlineMs: number): Promise<void>
}

export type ConnectionEvent =
  | { type: 'socketOpened' }
  | { type: 'qrShown' }
  | { type: 'paired'; phone: string | null; platform: string | null }
  /** The network has accepted the login. If the connection ends after this, it does not count as a failed login. */
  | { type: 'loggedIn' }
  | { type: 'opened'; phone: string | null; profileName: string | null; platform: string | null }
  /** The owner changed the name of the account, or the phone sent the name for the first time. */
  | { type: 'nameChanged'; profileName: string }
  | { type: 'restrictionChanged'; restriction: Restriction | null }
  /**
   * `code`: code with which the socket ended, null if there is none. `expireSeconds`: duration of a temporary ban
   * (402), or null.
   */
  | { type: 'closed'; code: number | null; message: string; expireSeconds: number | null }
  /**
   * A session could not be started:
   * - `proxy`: the proxy cannot be used, or refused the connection
   * - `handshake`: the handshake took longer than 20 s, or the WebSocket upgrade got an HTTP error
   * - `store`: the stored device is unreadable
   * - `storeAway`: the store could not be read or written at the moment
   */
  | { type: 'startFailed'; cause: 'proxy' | 'handshake' | 'store' | 'storeAway' }
  /** The account requires its passkey. The network's WebAuthn options can be signed for `lifeMs`. */
  | { type: 'passkeyAsked'; lifeMs: number }
  /** The network accepted the assertion; the phone must now confirm. */
  | { type: 'passkeyAccepted' }
  /** The network refused the assertion, or the phone did not answer. New WebAuthn options will follow. */
  | { type: 'passkeyTryAgain'; lifeMs: number }
  | { type: 'passkeyEnded' }
