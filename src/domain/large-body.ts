/** Pieces of a body in one message. They are transferred, not copied. */
export type BodyBatch = Uint8Array<ArrayBuffer>[]
/**
 * Maximum number of batches that are sent before the thread has parsed the first batch. The limit bounds the bytes
 * between the threads.
 */
export const BATCHES_AHEAD = 4

/** If the port is closed, the thread stops parsing. */
export type BodyNews = BodyBatch | 'end'

/** Number of bytes of the body that are in the memory of the thread. It is sent after each batch. */
export type BodyHeld = number

export interface ComingBody {
  /**
   * Rejects with the reason if the body is incomplete or refused. If a reader stops early and calls `return`, the rest
   * of the body is discarded.
   */
  batches: AsyncIterableIterator<BodyBatch>
  held(bytes: number): void
}
