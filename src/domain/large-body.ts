/** Messages on the port over which the HTTP thread sends a large body to the thread that parses it. */

/** Pieces of a body that are sent in one message. They are transferred, not copied. */
export type BodyBatch = Uint8Array<ArrayBuffer>[]
/**
 * Maximum number of batches of a body that may be sent before the thread has parsed the first of them. This limits the
 * bytes between the threads.
 */
export const BATCHES_AHEAD = 4

/** Messages to the thread. Closing the port ends the parsing. */
export type BodyNews = BodyBatch | 'end'

/** Message from the thread after each batch: the number of bytes of the body that the thread holds. */
export type BodyHeld = number

/** A body that is still arriving. */
export interface ComingBody {
  /**
   * Batches of the body. Rejects with the reason when the body is incomplete or refused. A reader that stops early
   * calls `return`, and the rest of the body is discarded.
   */
  batches: AsyncIterableIterator<BodyBatch>
  /** Called by the reader of the batches with the number of bytes of the body that it holds. */
  held(bytes: number): void
}
