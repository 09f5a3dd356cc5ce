import { randomBytes } from 'node:crypto'
import { ControlError } from '../control/control-error.ts'
import type { Taken } from '../control/network-control.ts'
import type { CodeAction } from '../control/schemas/people.ts'
import { node, randomId, SERVER_JID, seconds } from '../wire/node.ts'
import type { ClientHandshake } from '../wire/noise-responder.ts'
import { failure, streamError } from './connection.ts'
import type { Connection, Network, Person } from './model.ts'
import { linkOrDemandPasskey } from './passkey.ts'

/** Number of QR references: a client shows the first for 60 s, and each later one for 20 s. */
const REFS = 6

export function offerPairing(network: Network, connection: Connection, client: ClientHandshake) {
  connection.registration = client
  sendRefs(network, connection)
}

function sendRefs(network: Network, connection: Connection) {
  const refs = Array.from({ length: REFS }, () => `2@${randomBytes(66).toString('base64')}`)
  for (const ref of refs) network.refs.set(ref, connection)
  const content = refs.map((ref) => node('ref', {}, ref))
  connection.send(node('iq', { from: SERVER_JID, type: 'set', id: randomId(), xmlns: 'md' }, [node('pair-device', {}, content)]))
}

/** Makes the secret in the shown code invalid, so that no phone accepts it. */
export function refreshCompanionReg(network: Network, qr: string) {
  const { connection, advSecret } = shownBy(network, qr)
  network.retiredSecrets.add(advSecret.toString('base64'))
  connection.send(refreshNotification())
}

export function actOnCode(network: Network, qr: string, action: CodeAction) {
  if (action === 'refresh') return refreshCompanionReg(network, qr)
  const { connection } = shownBy(network, qr)
  if (action === 'cut') return connection.cut()
  if ('stream_error' in action) return connection.end(streamError(action.stream_error))
  connection.end(failure(action.failure, { code: action.code, expire: action.expire }))
}

export const refreshNotification = () =>
  node('notification', { from: SERVER_JID, type: 'companion_reg_refresh', id: randomId(), t: seconds() })

function shownBy(network: Network, qr: string): { connection: Connection; advSecret: Buffer } {
  const { ref, advSecret } = parseQr(qr)
  const connection = network.refs.get(ref)
  if (!connection) throw new ControlError('conflict', 'nobody shows this code')
  return { connection, advSecret }
}

interface ScannedCode {
  ref: string
  noiseKey: Buffer
  identity: Buffer
  advSecret: Buffer
}

/**
 * Parses the text of a QR code. It is `https://wa.me/settings/linked_devices#ref,noise,identity,adv secret,platform`,
 * or only the part after the `#`.
 */
function parseQr(text: string): ScannedCode {
  const [ref, noise, identity, secret] = text.slice(text.indexOf('#') + 1).split(',')
  if (!ref || !noise || !identity || !secret) throw new ControlError('invalid_request', 'this is not a pairing code')
  const bytes = (part: string) => Buffer.from(part, 'base64')
  return { ref, noiseKey: bytes(noise), identity: bytes(identity), advSecret: bytes(secret) }
}

export async function scan(network: Network, phone: Person, qr: string): Promise<Taken> {
  const code = parseQr(qr)
  const connection = network.refs.get(code.ref)
  const client = connection?.registration
  if (!connection || !client) throw new ControlError('conflict', 'the code has expired')
  const pairing = client.payload.devicePairingData
  if (!client.staticKey.equals(code.noiseKey) || !Buffer.from(pairing?.eIdent ?? []).equals(code.identity)) {
    throw new ControlError('conflict', 'the keys in the code are not those of the device that shows it')
  }
  if (network.retiredSecrets.has(code.advSecret.toString('base64'))) {
    throw new ControlError('conflict', 'the secret in the code was retired by companion_reg_refresh')
  }
  return linkOrDemandPasskey(network, phone, connection, code.advSecret)
}
