import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STATUS_REASONS, type Status, type StatusReason } from '../../../src/domain/instance.ts'
import { sentence } from '../../../src/domain/sentences.ts'

const TABLE: [StatusReason | null, Status, string][] = [
  [null, 'created', 'The session has not been started yet.'],
  [null, 'starting', 'The session is starting.'],
  ['engine_restart', 'starting', 'The session is starting after an engine restart.'],
  ['pairing_required', 'qr', 'Waiting for the QR code or pairing code to be accepted on the phone.'],
  ['pairing_failed', 'qr', 'The pairing was refused, because its sender could not be verified; a new QR code follows.'],
  [null, 'connecting', 'Logging in to the account.'],
  ['restarting', 'connecting', 'The session is restarting.'],
  ['passkey_required', 'connecting', 'The account wants its passkey before it links a device; confirm it on the pairing page.'],
  ['passkey_confirmation', 'connecting', 'The passkey was accepted; look at the phone and confirm there.'],
  ['connection_lost', 'disconnected', 'The connection to the network was lost; reconnecting.'],
  ['connection_closed', 'disconnected', 'The network closed the connection; reconnecting.'],
  ['service_unavailable', 'disconnected', 'The network is temporarily unavailable; reconnecting.'],
  ['stream_error', 'disconnected', 'The network reported a stream error; reconnecting.'],
  ['client_outdated', 'disconnected', 'The network rejected the client version; updating and reconnecting.'],
  ['client_outdated', 'stopped', 'The network rejected the client version; update the service and restart.'],
  ['connect_failure', 'disconnected', 'The network refused the login; reconnecting.'],
  ['bad_session', 'stopped', 'The saved session is damaged; restart it or pair again.'],
  ['connection_replaced', 'stopped', 'The same session was opened somewhere else; restart it here to take over.'],
  ['moved', 'stopped', 'The account was moved to another program, so it is not started here.'],
  ['paused', 'stopped', 'The instance was paused by request; resume it to send and receive again.'],
  ['qr_timeout', 'stopped', 'The QR code was not read in time; request it again.'],
  ['start_failed', 'stopped', 'The session could not be started.'],
  ['proxy_error', 'stopped', 'The configured proxy refused the connection.'],
  ['engine_restart', 'stopped', 'The session is not running; request a QR code to start it.'],
  ['multidevice_mismatch', 'stopped', 'The account cannot use linked devices; update the app on the phone.'],
  ['multidevice_mismatch', 'logged_out', 'The account cannot use linked devices; update the app on the phone.'],
  ['pairing_failed', 'logged_out', 'The pairing was not confirmed; pair again.'],
  ['pairing_ended', 'logged_out', 'The connect link expired or was revoked before the phone was linked; pair again.'],
  ['logged_out', 'logged_out', 'The linked device was removed on the phone; pair again.'],
  ['logout_requested', 'logged_out', 'The account was disconnected with the API or the dashboard, not on the phone; pair again.'],
  ['account_locked', 'logged_out', 'The network ended the session of this account; open the app on the phone and pair again.'],
  ['banned', 'banned', 'The network banned this account.'],
  ['temporarily_banned', 'banned', 'The network suspended this account until 2026-01-31T12:00:00.000Z.'],
]

const NOON = Date.UTC(2026, 0, 31, 12)

for (const [reason, status, expected] of TABLE) {
  test(`${status} for ${reason ?? 'no reason'} says: ${expected}`, () => {
    assert.equal(sentence({ status, reason, bannedUntil: NOON }), expected)
  })
}

test('a connected instance has nothing to say', () => {
  assert.equal(sentence({ status: 'connected', reason: null, bannedUntil: null }), null)
})

test('a session that is opened elsewhere within a day of its import points to the program that it came from', () => {
  const replaced = { status: 'stopped', reason: 'connection_replaced', bannedUntil: null, importedAt: NOON } as const
  const DAY = 86_400_000
  assert.match(sentence({ ...replaced, disconnectedAt: NOON + DAY - 1 })!, /^The program that this device was imported from/)
  assert.match(sentence({ ...replaced, disconnectedAt: null })!, /^The program that this device was imported from/)
  assert.match(sentence({ ...replaced, disconnectedAt: NOON + DAY })!, /^The same session was opened somewhere else/)
  assert.match(sentence({ ...replaced, importedAt: null, disconnectedAt: NOON })!, /^The same session was opened somewhere else/)
})

test('every reason has its sentence', () => {
  assert.deepEqual(new Set(TABLE.flatMap(([reason]) => (reason ? [reason] : []))), new Set(STATUS_REASONS))
})
