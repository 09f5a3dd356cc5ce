/**
 * Reads the body of a request that is passed on. A short body is read before the request is sent, so that a slow caller
 * occupies no connection of the link.
 */
import type { IncomingMessage } from 'node:http'
import { bodyReader } from '../body-reader.ts'
import { steadyClock } from '../domain/clock.ts'
import { steady } from '../http/steady-reader.ts'
import { LONGEST_KEPT } from './forward-rules.ts'
import type { Room } from './room.ts'

export interface KeptBody {
  /** True if `pieces` is the whole body. */
  isWhole: boolean
  pieces: Uint8Array[]
  /**
   * Returns the next piece after `pieces`; undefined at the end. Rejects with a `Failure` if the body is too slow or
   * incomplete.
   */
  next(): Promise<Uint8Array | undefined>
  /** Frees the memory of the pieces. */
  drop(): void
  /** Must be called when the body is no longer read. */
  end(): void
}

/** Used for a request without a body. Nothing is read from its connection. */
export const NO_BODY: KeptBody = { isWhole: true, pieces: [], next: async () => undefined, drop() {}, end() {} }

/**
 * Reads and keeps a body until it is longer than `LONGEST_KEPT`, or until `room` is full; the rest is read while it is
 * sent. Keeps nothing of a body with a longer `Content-Length`. Rejects with a `Failure` if the body is too slow or
 * incomplete.
 */
export async function keepBody(incoming: IncomingMessage, room: Room): Promise<KeptBody> {
  const { 'transfer-encoding': coding, 'content-length': announced = '0' } = incoming.headers
  const length = Number(announced)
  if (coding === undefined && length === 0) return NO_BODY
  const reader = steady(bodyReader(incoming), steadyClock)
  let size = 0
  const body: KeptBody = {
    isWhole: false,
    pieces: [],
    next: reader.read,
    drop() {
      body.pieces = []
      room.add(-size)
      size = 0
    },
    end() {
      body.drop()
      reader.end()
    },
  }
  if (length > LONGEST_KEPT) return body
  try {
    while (size <= LONGEST_KEPT && !room.isFull()) {
      const piece = await reader.read()
      if (piece === undefined) {
        body.isWhole = true
        return body
      }
      size += piece.byteLength
      room.add(piece.byteLength)
      body.pieces.push(piece)
    }
  } catch (failure) {
    body.end()
    throw failure
  }
  return body
}
