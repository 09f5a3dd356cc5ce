import { type Clock, MINUTE } from '../../../../src/domain/clock.ts'

const QR_SIZE = 512
/** Time in ms in which a second request for the same number returns the same code. */
const CODE_REUSE = MINUTE

export interface QrCode {
  payload: string
  /** `show` gets a time of the monotonic clock. `current` and `wait` return it in epoch ms, for clients. */
  expiresAt: number
}

export interface Pairing {
  show(code: QrCode): void
  replace(payload: string): void
  clear(): void
  current(): QrCode | null
  /** Resolves with the next code, or with null if the pairing ended or `ms` passed. */
  wait(ms: number): Promise<QrCode | null>
  giveUp(): void
  png(): Promise<Buffer | null>
  /**
   * Returns the code that was requested in the last minute for this number, or a new one from `request`. A code for
   * another number invalidates the earlier code.
   */
  phoneCode(digits: string, request: () => Promise<string>): Promise<string>
}

/**
 * Stores grey pixels, and each line as its difference from the line above, because most lines of a QR code repeat. The
 * library's defaults take twice the time and space.
 */
const PLAIN = { colorType: 0, filterType: 2 } as object

/**
 * Draws the code as a PNG. The library is loaded only when the first code is drawn, because most instances are already
 * linked.
 */
async function imageOf(payload: string): Promise<Buffer> {
  const { default: QRCode } = await import('qrcode')
  return QRCode.toBuffer(payload, { width: QR_SIZE, errorCorrectionLevel: 'M', rendererOpts: PLAIN })
}

/** Creates the pairing. `steady` measures delays; `clock` gives the times that are reported. */
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
