/**
 * TLS of the links between the services of one store. Both sides prove that they have the same secret key, so no
 * certificates are needed.
 */
import { constants, hkdfSync } from 'node:crypto'
import type { TlsOptions } from 'node:tls'

const IDENTITY = 'svc'
const BYTES = 32

// TLS 1.3 of Node has no pre-shared keys. Without tickets a session cannot be resumed with an old key.
const TLS = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  secureOptions: constants.SSL_OP_NO_TICKET,
} as const satisfies TlsOptions

export const peerKeyOf = (secretKey: Uint8Array): Buffer => Buffer.from(hkdfSync('sha256', secretKey, '', 'svc peer link', BYTES))

export const portTls = (key: Buffer) => ({
  ...TLS,
  pskCallback: (_: unknown, identity: string) => (identity === IDENTITY ? key : null),
})

export const callerTls = (key: Buffer) => ({
  ...TLS,
  pskCallback: () => ({ psk: key, identity: IDENTITY }),
  // There is no certificate to check; only a server with the key can complete the handshake.
  checkServerIdentity: () => undefined,
  servername: '',
  maxCachedSessions: 0,
})
