/** Pieces of a body in one message. They are transferred, not copied. */
export type BodyBatch = Uint8Array<ArrayBuffer>[]
/**
 * Maximum number of batches that are sent and not parsed yet. It limits the bytes that are on their way between the
 * threads.
 */
export const BATCHES_AHEAD = 4

/** Messages to the thread that parses. If the port is closed, the thread stops parsing. */
export type BodyNews = BodyBatch | 'end'

/** Message of the thread after each batch: the number of bytes of the body that are in its memory. */
export type BodyHeld = number

export interface ComingBody {
  /**
   * Batches of the body. Rejects with the reason if the body is incomplete or refused. If a reader stops early and
   * calls `return`, the rest of the body is discarded.
   */
  batches: AsyncIterableIterator<BodyBatch>
  held(bytes: number): void
}
