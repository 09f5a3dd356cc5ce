/**
 * Renews the secret in the QR code. The phone learns it from the code, and the device verifies the network's answer to a scan with it. The
 * notification `<notification type="companion_reg_refresh">` makes the secret invalid while a code is shown; without a new one, every later scan
 * fails.
 */
import { randomBytes } from 'node:crypto'
import type { NetworkSocket } from './network-socket.ts'

export interface CompanionRefresh {
  /** Called when the notification `companion_reg_refresh` has arrived. */
  refresh(): void
}

const SECRET_BYTES = 32

/** Handles the notification `companion_reg_refresh`. `onChange` is called when the credentials contain the new secret; it may not be on disk yet. */
export function watchCompanionRefresh(sock: Pick<NetworkSocket, 'ev' | 'authState'>, onChange: () => void): CompanionRefresh {
  const { creds } = sock.authState
  return {
    refresh() {
      // A linked device no longer needs a secret, and a pairing code that was accepted has already created a new one.
      if (creds.account || creds.registered) return
      rotateSecret(sock)
      onChange()
    },
  }
}

/** Puts a new secret into the credentials object itself, and emits `creds.update`, so that it is saved. */
export function rotateSecret({ ev, authState: { creds } }: Pick<NetworkSocket, 'ev' | 'authState'>): void {
  creds.advSecretKey = randomBytes(SECRET_BYTES).toString('base64')
  ev.emit('creds.update', { advSecretKey: creds.advSecretKey })
}
