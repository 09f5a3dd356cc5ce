/** Codes for linking the device: the current QR code as an image, and the pairing codes requested on this socket. */
import { type Clock, MINUTE } from '../../../../src/domain/clock.ts'

/** Pixels; error correction M. */
const QR_SIZE = 512
/** Asking again for the same number within this time gives the same code. */
const CODE_REUSE = MINUTE

export interface QrCode {
  payload: string
  /** Epoch ms: shown by the clock that does not step, handed out by the one that clients have. */
  expiresAt: number
}

export interface Pairing {
  show(code: QrCode): void
  /** Rewrites the shown code in place (a new secret under the same reference). */
  replace(payload: string): void
  clear(): void
  current(): QrCode | null
  /** Resolves with the code, or with null when pairing ended or `ms` passed. */
  wait(ms: number): Promise<QrCode | null>
  /** Wakes those who wait although no code will come (the state moved on). */
  giveUp(): void
  png(): Promise<Buffer | null>
  /**
   * The code for this number: the one of the last minute, or a new one from `request`. A socket has one code at a time: a code for another
   * number voids it.
   */
  phoneCode(digits: string, request: () => Promise<string>): Promise<string>
}

/** The library is loaded for the first code: most instances are paired already. */
async function imageOf(payload: string): Promise<Buffer> {
  const { default: QRCode } = await import('qrcode')
  return QRCode.toBuffer(payload, { width: QR_SIZE, errorCorrectionLevel: 'M' })
}

/** Delays are measured by `steady`; reported times are those of `clock`. */
export function createPairing(steady: Clock, clock: Clock = steady): Pairing {
  let code: QrCode | null = null
  let image: { payload: string; png: Promise<Buffer> } | null = null
  const waiting = new Set<(code: QrCode | null) => void>()
  let phoneCode: { digits: string; at: number; code: Promise<string> } | null = null

  const onWallClock = (shown: QrCode): QrCode => ({ ...shown, expiresAt: clock.now() + shown.expiresAt - steady.now() })

  function wake(value: QrCode | null) {
    for (const resolve of waiting) resolve(value && onWallClock(value))
    waiting.clear()
  }

  return {
    show(shown) {
      code = shown
      wake(shown)
    },
    replace(payload) {
      if (code) code = { ...code, payload }
    },
    clear() {
      code = null
      image = null
      phoneCode = null
    },
    current: () => (code !== null && code.expiresAt > steady.now() ? onWallClock(code) : null),
    giveUp: () => wake(null),
    wait(ms) {
      return new Promise((resolve) => {
        const done = (value: QrCode | null) => {
          clearTimeout(timer)
          waiting.delete(done)
          resolve(value)
        }
        const timer = setTimeout(() => done(null), ms)
        waiting.add(done)
      })
    },
    async png() {
      if (code === null) return null
      if (image?.payload !== code.payload) {
        image = { payload: code.payload, png: imageOf(code.payload) }
      }
      return image.png
    },
    phoneCode(digits, request) {
      if (phoneCode?.digits === digits && steady.now() - phoneCode.at < CODE_REUSE) return phoneCode.code
      const entry = { digits, at: steady.now(), code: request() }
      phoneCode = entry
      entry.code.catch(() => {
        if (phoneCode === entry) phoneCode = null
      })
      return entry.code
    },
  }
}
