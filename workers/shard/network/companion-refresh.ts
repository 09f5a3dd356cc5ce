/**
 * Renews the secret in the QR code, with which the device verifies the network's answer to a scan. `<notification
 * type="companion_reg_refresh">` makes the secret invalid, so later scans would fail without a new one.
 */
import { randomBytes } from 'node:crypto'
import type { NetworkSocket } from './network-socket.ts'

export interface CompanionRefresh {
  refresh(): void
}

const SECRET_BYTES = 32

/** `onChange` is called when the credentials contain the new secret, perhaps before it is on disk. */
export function watchCompanionRefresh(sock: Pick<NetworkSocket, 'ev' | 'authState'>, onChange: () => void): CompanionRefresh {
  const { creds } = sock.authState
  return {
    refresh() {
      // A linked device needs no secret, and an accepted pairing code has already created a new one.
      if (creds.account || creds.registered) return
      rotateSecret(sock)
      onChange()
    },
  }
}

/** Puts a new secret into the credentials object, and emits `creds.update`, so that it is saved. */
export function rotateSecret({ ev, authState: { creds } }: Pick<NetworkSocket, 'ev' | 'authState'>): void {
  creds.advSecretKey = randomBytes(SECRET_BYTES).toString('base64')
  ev.emit('creds.update', { advSecretKey: creds.advSecretKey })
}
