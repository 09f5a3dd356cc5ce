/**
 * Sentences that explain the status of an instance: `error` of `GET /status`, and `reason` of `instance_status` events.
 */
import { DAY, iso } from './clock.ts'
import type { RuntimeState, Status, StatusReason } from './instance.ts'

type Sentences = Readonly<Partial<Record<StatusReason | 'none', string>>>

const SENTENCES: Readonly<Record<Exclude<Status, 'connected'>, Sentences>> = {
  created: { none: 'The session has not been started yet.' },
  starting: {
    none: 'The session is starting.',
    engine_restart: 'The session is starting after an engine restart.',
  },
  qr: {
    pairing_required: 'Waiting for the QR code or pairing code to be accepted on the phone.',
    pairing_failed: 'The pairing was refused, because its sender could not be verified; a new QR code follows.',
  },
  connecting: {
    none: 'Logging in to the account.',
    restarting: 'The session is restarting.',
    passkey_required: 'The account wants its passkey before it links a device; confirm it on the pairing page.',
    passkey_confirmation: 'The passkey was accepted; look at the phone and confirm there.',
  },
  disconnected: {
    connection_lost: 'The connection to the network was lost; reconnecting.',
    connection_closed: 'The network closed the connection; reconnecting.',
    service_unavailable: 'The network is temporarily unavailable; reconnecting.',
    stream_error: 'The network reported a stream error; reconnecting.',
    client_outdated: 'The network rejected the client version; updating and reconnecting.',
    connect_failure: 'The network refused the login; reconnecting.',
  },
  logged_out: {
    multidevice_mismatch: 'The account cannot use linked devices; update the app on the phone.',
    pairing_failed: 'The pairing was not confirmed; pair again.',
    pairing_ended: 'The connect link expired or was revoked before the phone was linked; pair again.',
    logged_out: 'The linked device was removed on the phone; pair again.',
    logout_requested: 'The account was disconnected with the API or the dashboard, not on the phone; pair again.',
    account_locked: 'The network ended the session of this account; open the app on the phone and pair again.',
  },
  banned: { banned: 'The network banned this account.' },
  stopped: {
    client_outdated: 'The network rejected the client version; update the service and restart.',
    bad_session: 'The saved session is damaged; restart it or pair again.',
    connection_replaced: 'The same session was opened somewhere else; restart it here to take over.',
    moved: 'The account was moved to another program, so it is not started here.',
    paused: 'The instance was paused by request; resume it to send and receive again.',
    qr_timeout: 'The QR code was not read in time; request it again.',
    start_failed: 'The session could not be started.',
    proxy_error: 'The configured proxy refused the connection.',
    engine_restart: 'The session is not running; request a QR code to start it.',
    multidevice_mismatch: 'The account cannot use linked devices; update the app on the phone.',
  },
}

/**
 * Sentence for an imported device that its original program has probably connected again. A restart of the instance
 * would not help for long.
 */
const TAKEN_BACK =
  'The program that this device was imported from has probably opened the session again; stop it, delete this instance, and import the device again.'

const isTakenBack = ({ reason, importedAt = null, disconnectedAt = null }: Told): boolean =>
  reason === 'connection_replaced' && importedAt !== null && (disconnectedAt ?? importedAt) - importedAt < DAY

type Told = Pick<RuntimeState, 'status' | 'reason' | 'bannedUntil'> & Partial<Pick<RuntimeState, 'importedAt' | 'disconnectedAt'>>

/** Returns the sentence for the status of an instance; null if the instance is connected. */
export function sentence(state: Told): string | null {
  const { status, reason, bannedUntil } = state
  if (status === 'connected') return null
  if (isTakenBack(state)) return TAKEN_BACK
  if (reason === 'temporarily_banned') {
    return bannedUntil === null
      ? 'The network suspended this account for a while.'
      : `The network suspended this account until ${iso(bannedUntil)}.`
  }
  return SENTENCES[status][reason ?? 'none'] ?? SENTENCES[status].none ?? `The instance is ${status}.`
}
