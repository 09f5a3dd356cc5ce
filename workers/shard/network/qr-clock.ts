/**
 * Shows the QR codes to scan, and ends the socket when the last reference has been shown, 160 s after the first. A running pairing, such as a pairing
 * code that is entered late, keeps the socket. Each code has the secret that is in the credentials at that time.
 */
import { type AuthenticationCreds, buildPairingQRData, type WABrowserDescription } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { endReason } from './end-reason.ts'
import type { NetworkSocket } from './network-socket.ts'

/**
 * Time for which the first reference of a socket is shown, and time for which each later reference is shown. `expires_at` of the QR code is computed
 * from it.
 */
const FIRST_LIFE = 60 * SECOND
const NEXT_LIFE = 20 * SECOND

/**
 * Text and code (408) with which a socket ends after its last reference. By these two, the table of states distinguishes this end from a
 * lost connection.
 */
export const REFS_ENDED = 'QR refs attempts ended'
const TIMED_OUT = 408

export interface QrClockDeps {
  /** Time in ms from a clock that does not step. */
  now(): number
  browser: WABrowserDescription
  /** Called with the next code. `expiresAt` is in the time of `now`. */
  onCode(text: string, expiresAt: number): void
  /** The shown code now has another secret. */
  onReplaced(text: string): void
  /** Called when all references were shown, and no pairing keeps the socket. */
  onOver(reason: Error): void
}

export interface QrClock {
  /** Called when references have arrived. The first one is shown now, in place of any earlier one. */
  offered(refs: readonly string[]): void
  /** Called when the secret in the credentials has changed. */
  secretChanged(): void
  /** Called when a pairing is running: the socket stays for at least this time, and the last reference is shown for the same time. */
  keep(ms: number): void
  /** After this call no further code is shown, and this module no longer ends the socket. */
  stop(): void
}

export function createQrClock(sock: Pick<NetworkSocket, 'ev' | 'authState'>, deps: QrClockDeps): QrClock {
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

/**
 * Builds the text of a code: `https://wa.me/settings/linked_devices#`, followed by the reference, the Noise key, the identity key, the secret, and
 * the kind of the client.
 */
const qrText = (
  ref: string,
  { noiseKey, signedIdentityKey, advSecretKey }: AuthenticationCreds,
  browser: WABrowserDescription,
): string => buildPairingQRData(ref, base64(noiseKey.public), base64(signedIdentityKey.public), advSecretKey, browser)
