/**
 * BAILEYS 9. `<notification type="companion_reg_refresh">` while a QR is shown retires the secret inside it. The library does not know it, so
 * every later scan would fail. A new secret goes into the credentials (the server's answer to a scan is checked with it) and into the fourth
 * field of the QR text; the library keeps the old one for all further codes of this socket (api/states.md, engine notes).
 */
import { randomBytes } from 'node:crypto'
import type { WASocket } from '@whiskeysockets/baileys'

export interface CompanionRefreshDeps {
  /** Every QR text to show: the library's own, with the current secret in it. Called again when the secret changes. */
  onQr(qr: string, why: 'next' | 'refreshed'): void
}

export interface CompanionRefresh {
  /** The notification has arrived. */
  refresh(): void
}

/** Position of the secret among the comma-separated fields. */
const SECRET_FIELD = 3
const SECRET_BYTES = 32

export function watchCompanionRefresh(
  sock: Pick<WASocket, 'ev' | 'authState'>,
  { onQr }: CompanionRefreshDeps,
): CompanionRefresh {
  const { creds } = sock.authState
  let shown: string | undefined

  sock.ev.on('connection.update', ({ qr, connection, isNewLogin }) => {
    if (connection === 'close' || isNewLogin) shown = undefined
    if (!qr) return
    shown = qr
    onQr(withSecret(qr, creds.advSecretKey), 'next')
  })

  return {
    refresh() {
      // A linked device needs no secret any more, and a pairing code that was entered has made its own.
      if (creds.account || creds.registered) return
      creds.advSecretKey = randomBytes(SECRET_BYTES).toString('base64')
      // With `me` where there is one: the library takes an update without it for a changed name and announces that.
      sock.ev.emit(
        'creds.update',
        creds.me ? { advSecretKey: creds.advSecretKey, me: creds.me } : { advSecretKey: creds.advSecretKey },
      )
      if (shown) onQr(withSecret(shown, creds.advSecretKey), 'refreshed')
    },
  }
}

export function withSecret(qr: string, secret: string): string {
  const fields = qr.split(',')
  if (fields.length <= SECRET_FIELD) return qr
  fields[SECRET_FIELD] = secret
  return fields.join(',')
}
