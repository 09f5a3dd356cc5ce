/**
 * Shows the codes to scan. The library does so in a private timer (`Socket/socket.js`, `genPairQR`) that ends the socket when the last reference has
 * been shown, 160 s after the first: whatever takes longer on the phone, such as a pairing code that is entered late, would lose its socket. Here a
 * pairing that is under way keeps the socket, and each code has the secret that the credentials have at its time.
 */
import { type AuthenticationCreds, buildPairingQRData, type WABrowserDescription, type WASocket } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { endReason } from './end.ts'

/** How long the first reference of a socket is shown, and each of the next ones; `expires_at` of the QR code promises it. */
const FIRST_LIFE = 60 * SECOND
const NEXT_LIFE = 20 * SECOND

/** The library's own words and code for it, 408: the table of states tells this end apart from a lost connection by them. */
export const REFS_ENDED = 'QR refs attempts ended'
const TIMED_OUT = 408

export interface QrClockDeps {
  /** Of a clock that does not step, in ms. */
  now(): number
  browser: WABrowserDescription
  /** The next code. `expiresAt` by `now`. */
  onCode(text: string, expiresAt: number): void
  /** The code that is shown has another secret now. */
  onReplaced(text: string): void
  /** All references were shown, and nothing keeps the socket any longer. */
  onOver(reason: Error): void
}

export interface QrClock {
  /** References have come: the first of them is shown now, in place of whatever was shown before. */
  offered(refs: readonly string[]): void
  /** The secret in the credentials has changed. */
  secretChanged(): void
  /** A pairing is under way: the socket stays for this time at least. The last reference is shown as long as that. */
  keep(ms: number): void
  /** No further code is shown, and the socket is not ended from here any more. */
  stop(): void
}

export function createQrClock(sock: Pick<WASocket, 'ev' | 'authState'>, deps: QrClockDeps): QrClock {
  const { creds } = sock.authState
  let left: string[] = []
  let shown: string | undefined
  let timer: NodeJS.Timeout | undefined
  let keptUntil = Number.NEGATIVE_INFINITY

  const textOf = (ref: string) => qrText(ref, creds, deps.browser)

  function show(ref: string, lifeMs: number) {
    shown = ref
    timer = setTimeout(next, lifeMs)
    deps.onCode(textOf(ref), deps.now() + lifeMs)
  }

  function next() {
    const ref = left.shift() ?? (deps.now() < keptUntil ? shown : undefined)
    if (ref !== undefined) return show(ref, NEXT_LIFE)
    stop()
    deps.onOver(endReason(REFS_ENDED, TIMED_OUT))
  }

  function stop() {
    clearTimeout(timer)
    left = []
    shown = undefined
  }

  sock.ev.on('connection.update', ({ connection, isNewLogin }) => {
    if (connection === 'close' || isNewLogin) stop()
  })

  return {
    offered(refs) {
      stop()
      left = refs.slice(1)
      if (refs[0] === undefined) next()
      else show(refs[0], FIRST_LIFE)
    },
    secretChanged() {
      if (shown !== undefined) deps.onReplaced(textOf(shown))
    },
    keep(ms) {
      keptUntil = Math.max(keptUntil, deps.now() + ms)
    },
    stop,
  }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** The text of a code: `https://wa.me/settings/linked_devices#` and reference, Noise key, identity key, secret, kind of the client. */
const qrText = (
  ref: string,
  { noiseKey, signedIdentityKey, advSecretKey }: AuthenticationCreds,
  browser: WABrowserDescription,
): string => buildPairingQRData(ref, base64(noiseKey.public), base64(signedIdentityKey.public), advSecretKey, browser)
