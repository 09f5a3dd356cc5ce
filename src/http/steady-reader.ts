import { type Clock, SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'

const KB = 1_024

/**
 * Minimum rate of a body in bytes per second (1 Mbit/s). Received parts stay in memory, so many slow bodies would fill
 * the memory.
 */
export const SLOWEST = 128 * KB
export const HEAD_START = 10 * SECOND

export const dueAt = (begun: number, bytes: number): number => begun + HEAD_START + (bytes / SLOWEST) * SECOND

export type BodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>

const tooSlow = () => new Failure('invalid_request', { message: 'The body arrived too slowly: less than 128 KB per second.' })
export const cutOff = (cause?: unknown) =>
  new Failure('invalid_request', { message: 'The body ended before it was complete.', ...(cause === undefined ? {} : { cause }) })

interface Steady {
  /** Returns undefined at the end of the body. Rejects if the body is incomplete or too slow. */
  read(): Promise<Uint8Array | undefined>
  /** Must be called when reading ends. */
  end(): void
}

/** Enforces the minimum rate of a body. Time in which no code reads the body does not count. */
export function steady(reader: BodyReader, clock: Clock): Steady {
  let begun = clock.now()
  let size = 0
  /** Time at which the last read ended; undefined while a read is running. */
  let leftAt: number | undefined = begun
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    let isSecondLook = false
    const look = () => {
      const left = leftAt === undefined ? dueAt(begun, size) - clock.now() : SECOND
      if (left <= 0 && isSecondLook) return reject(tooSlow())
      // The body is refused only at the second failed check, because bytes that arrived while this thread was blocked
      // are read between the two checks.
      isSecondLook = left <= 0
      timer = setTimeout(look, Math.max(left, SECOND))
    }
    timer = setTimeout(look, HEAD_START)
  })
  // Prevents an unhandled rejection while no code reads.
  late.catch(() => {})
  return {
    async read() {
      if (leftAt !== undefined) begun += clock.now() - leftAt
      leftAt = undefined
      const next = reader.read().catch((cause: unknown) => {
        throw cutOff(cause)
      })
      const { done, value } = await Promise.race([next, late])
      leftAt = clock.now()
      if (done) return undefined
      size += value.byteLength
      return value
    },
    end: () => clearTimeout(timer),
  }
}
