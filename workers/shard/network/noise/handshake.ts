/**
 * The handshake of a connection. Its last message is the login of a linked device, or the registration of a new one.
 */
import {
  type AuthenticationCreds,
  DEFAULT_CONNECTION_CONFIG,
  generateLoginNode,
  generateRegistrationNode,
  proto,
  type WAVersion,
} from '@whiskeysockets/baileys'
import { newKeyPair } from '../../keys/curve.ts'
import { DEVICE } from '../device.ts'
import type { LoginCounts } from '../login/login-counts.ts'
import { createInitiator } from './initiator.ts'
import { type Trust, verifyServer } from './server-certificates.ts'
import type { FrameKeys } from './symmetric-state.ts'

const { HandshakeMessage, ClientPayload } = proto

export interface HandshakeDeps {
  version: WAVersion
  creds: AuthenticationCreds
  loginCounts: LoginCounts
  trust: Trust
  /** The header of the protocol, which this device sends before its first frame. */
  prologue: Uint8Array
  write(bytes: Uint8Array): Promise<void>
  /** Resolves with the first frame of the server. Rejects if the connection ends before it. */
  hello: Promise<Uint8Array>
  /**
   * Called in the turn in which the last message is written: all later frames, in both directions, are encrypted with
   * these keys.
   */
  onKeys(keys: FrameKeys): void
  /**
   * Called right before the login. Rejects if another process runs this account now: our login would end its session.
   * Absent if no other process can run the account.
   */
  confirmOwner?: (() => Promise<void>) | undefined
}

/** Runs the handshake. Rejects if the server is not trusted, or if the connection has ended. */
export async function shakeHands(deps: HandshakeDeps): Promise<void> {
  const { creds, trust, prologue, write, hello, onKeys } = deps
  const ephemeral = newKeyPair()
  const noise = createInitiator({ ephemeral, own: creds.noiseKey }, prologue)
  await write(HandshakeMessage.encode({ clientHello: { ephemeral: ephemeral.public } }).finish())
  const { serverKey, certificates } = noise.read(HandshakeMessage.decode(await hello).serverHello ?? {})
  verifyServer(serverKey, certificates, trust)
  await deps.confirmOwner?.()
  const { message, keys } = noise.finish(ClientPayload.encode(clientPayload(deps)).finish())
  const sent = write(HandshakeMessage.encode({ clientFinish: message }).finish())
  onKeys(keys)
  await sent
}

/** Returns the login of a linked device, or the registration of a device that is not linked. */
export function clientPayload({
  creds,
  version,
  loginCounts,
}: Pick<HandshakeDeps, 'creds' | 'version' | 'loginCounts'>): proto.IClientPayload {
  const config = { ...DEFAULT_CONNECTION_CONFIG, ...DEVICE, version }
  return creds.me
    ? { ...generateLoginNode(creds.me.id, config), ...loginCounts.of(creds) }
    : generateRegistrationNode(creds, config)
}
