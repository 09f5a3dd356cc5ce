/**
 * The handshake of a connection, after which all frames are encrypted. Its last message is the login of a linked device, or the registration of a new
 * one. The library's Noise code verifies the server with `Curve.verify`. The library's own version of that function accepts every signature, so
 * `baileys/thread/curve.ts` replaces it.
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
  /** Resolves with the first frame of the server, its hello message. */
  hello: Promise<Uint8Array>
  /**
   * Rejects if another process of the service runs this account now. It is called right before the login: this process may have been suspended and
   * replaced, and its login would end the session of the process that replaced it. Absent if no other process can run the account.
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
  // The next frame that is written must be encrypted with the keys of the finished handshake, even if this write has not called back yet.
  await noise.finishInit()
  await sent
}

/** Returns the payload of the login, or of the registration if the device is not linked. */
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
