/**
 * The handshake of a connection. Its last message is the login of a linked device, or the registration of a new one.
 * The library's Noise code verifies the server.
 */
import {
  type AuthenticationCreds,
  DEFAULT_CONNECTION_CONFIG,
  generateLoginNode,
  generateRegistrationNode,
  type KeyPair,
  type makeNoiseHandler,
  proto,
  type WAVersion,
} from '@whiskeysockets/baileys'
import { DEVICE } from './device.ts'
import type { LoginCounts } from './login-counts.ts'

const { HandshakeMessage, ClientPayload } = proto

export interface HandshakeDeps {
  version: WAVersion
  noise: ReturnType<typeof makeNoiseHandler>
  ephemeral: KeyPair
  creds: AuthenticationCreds
  loginCounts: LoginCounts
  write(bytes: Uint8Array): Promise<void>
  /** Resolves with the first frame of the server. */
  hello: Promise<Uint8Array>
  /**
   * Called right before the login. Rejects if another process runs this account now: our login would end its session.
   * Absent if no other process can run the account.
   */
  confirmOwner?: (() => Promise<void>) | undefined
}

export async function shakeHands(deps: HandshakeDeps): Promise<void> {
  const { noise, ephemeral, creds, write, hello } = deps
  await write(HandshakeMessage.encode({ clientHello: { ephemeral: ephemeral.public } }).finish())
  const answer = HandshakeMessage.decode(await hello)
  await deps.confirmOwner?.()
  const key = noise.processHandshake(answer, creds.noiseKey)
  const payload = noise.encrypt(ClientPayload.encode(clientPayload(deps)).finish())
  const sent = write(HandshakeMessage.encode({ clientFinish: { static: key, payload } }).finish())
  // The next frame must be encrypted, even if this write has not called back yet.
  await noise.finishInit()
  await sent
}

/** The payload is that of the registration if the device is not linked. */
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
