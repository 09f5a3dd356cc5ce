/**
 * Reads the body of a request that is passed on. A short body is read completely before the request is sent, so a slow
 * caller uses no connection of the link meanwhile; a longer one is read while it is sent.
 */
import type { IncomingMessage } from 'node:http'
import { bodyReader } from '../body-reader.ts'
import { steadyClock } from '../domain/clock.ts'
import { steady } from '../http/steady-reader.ts'
import { LONGEST_KEPT } from './forward-rules.ts'

export interface KeptBody {
  /** True if `pieces` is the whole body. */
  isWhole: boolean
  pieces: Uint8Array[]
  /** The next piece after `pieces`; undefined at the end. Rejects with a `Failure` if the body is too slow or incomplete. */
  next(): Promise<Uint8Array | undefined>
  /** Must be called when the body is no longer read. */
  end(): void
}

const NO_BODY: KeptBody = { isWhole: true, pieces: [], next: async () => undefined, end() {} }

/** Rejects with a `Failure` if the body is too slow or incomplete. */
export async function keepBody(incoming: IncomingMessage): Promise<KeptBody> {
  const { 'transfer-encoding': coding, 'content-length': announced = '0' } = incoming.headers
  const length = Number(announced)
  if (coding === undefined && length === 0) return NO_BODY
  const reader = steady(bodyReader(incoming), steadyClock)
  const body: KeptBody = { isWhole: false, pieces: [], next: reader.read, end: reader.end }
  if (length > LONGEST_KEPT) return body
  let size = 0
  try {
    while (size <= LONGEST_KEPT) {
      const piece = await reader.read()
      if (piece === undefined) return { ...body, isWhole: true }
      size += piece.byteLength
      body.pieces.push(piece)
    }
  } catch (failure) {
    reader.end()
    throw failure
  }
  return body
}
