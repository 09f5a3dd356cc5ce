/**
 * Decides which QR code is shown, and for how long. The network sends several references, and each makes one code. When the last one has expired, 160
 * s after the first, the socket is ended, unless a pairing is in progress (for example with a pairing code that is entered late). Each code contains
 * the secret that the credentials have at that time.
 */
import { type AuthenticationCreds, buildPairingQRData, type WABrowserDescription } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { endReason } from './end-reason.ts'
import type { NetworkSocket } from './network-socket.ts'

/** Time for which the first reference of a socket is shown, and the time for each later one. `expires_at` of the QR code is computed from them. */
const FIRST_LIFE = 60 * SECOND
const NEXT_LIFE = 20 * SECOND

/**
 * Text and status code (408) of the error that ends a socket after its last reference. The lifecycle table recognizes this end by the two, and so
 * distinguishes it from a lost connection.
 */
export const REFS_ENDED = 'QR refs attempts ended'
const TIMED_OUT = 408

export interface QrClockDeps {
  /** Returns the time in ms from a monotonic clock. */
  now(): number
  browser: WABrowserDescription
  /** Called with the text of the next QR code. `expiresAt` is a time of the clock `now`. */
  onCode(text: string, expiresAt: number): void
  /** Called when the text of the shown QR code has changed, because its secret was replaced. */
  onReplaced(text: string): void
  /** Called when all references have expired and no pairing is in progress. */
  onOver(reason: Error): void
}

export interface QrClock {
  /** Called when the network has sent references. The code of the first one replaces the code that is shown. */
  offered(refs: readonly string[]): void
  /** Called when the secret in the credentials has changed. */
  secretChanged(): void
  /** Called when a pairing is in progress: the socket is not ended for at least this time, and the code of the last reference is shown as long. */
  keep(ms: number): void
  /** Stops the timers: no further code is shown, and the socket is no longer ended from here. */
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
