/**
 * Renews the secret that a phone learns from the QR code, and with which the network's answer to a scan is verified. The
 * notice `<notification type="companion_reg_refresh">` invalidates the secret while a code is shown; every later scan
 * would fail.
 */
import { randomBytes } from 'node:crypto'
import type { NetworkSocket } from './network-socket.ts'

export interface CompanionRefresh {
  /** The notification has arrived. */
  refresh(): void
}

const SECRET_BYTES = 32

/** Watches for the notification. `onChange` is called when the credentials have a new secret, which is being saved. */
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

/** Puts a new secret into the credentials, in place, and saves them. */
export function rotateSecret({ ev, authState: { creds } }: Pick<NetworkSocket, 'ev' | 'authState'>): void {
  creds.advSecretKey = randomBytes(SECRET_BYTES).toString('base64')
  ev.emit('creds.update', { advSecretKey: creds.advSecretKey })
}
