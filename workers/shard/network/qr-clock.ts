/**
 * Decides which QR code is shown, and for how long. Each reference of the network makes one code. When the last one has
 * expired (with six references after 160 s), the socket is ended, unless a pairing is in progress.
 */
import { type AuthenticationCreds, buildPairingQRData, type WABrowserDescription } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { endReason } from './end-reason.ts'
import type { NetworkSocket } from './network-socket.ts'

/** Time in ms for which the first reference of a socket is shown. */
const FIRST_LIFE = 60 * SECOND
const NEXT_LIFE = 20 * SECOND

/**
 * Text of the error that ends a socket after its last reference. The state table recognizes it, and distinguishes it
 * from a lost connection.
 */
export const REFS_ENDED = 'QR refs attempts ended'
const TIMED_OUT = 408

export interface QrClockDeps {
  /** A monotonic clock, in ms. */
  now(): number
  browser: WABrowserDescription
  /** `expiresAt` is a time of the clock `now`. */
  onCode(text: string, expiresAt: number): void
  onReplaced(text: string): void
  onOver(reason: Error): void
}

export interface QrClock {
  /** Takes new references. The code of the first reference replaces the code that is shown. */
  offered(refs: readonly string[]): void
  secretChanged(): void
  /** Keeps the socket for at least this time, because a pairing is in progress. */
  keep(ms: number): void
  /** Stops the clock: no further code is shown, and the socket is no longer ended. */
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
 * Returns the text of a QR code: reference, Noise key, identity key, secret, and kind of the client, after
 * `https://wa.me/settings/linked_devices#`.
 */
const qrText = (
  ref: string,
  { noiseKey, signedIdentityKey, advSecretKey }: AuthenticationCreds,
  browser: WABrowserDescription,
): string => buildPairingQRData(ref, base64(noiseKey.public), base64(signedIdentityKey.public), advSecretKey, browser)
