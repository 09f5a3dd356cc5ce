/** The messages on the port that one large body crosses from the HTTP thread to the thread that parses it. */

/** Pieces of a body that cross in one message. They are transferred, not copied. */
export type BodyBatch = Uint8Array<ArrayBuffer>[]
/** How many batches of a body may be sent before the thread has parsed the first of them. This bounds what of a body is between the threads. */
export const BATCHES_AHEAD = 4

/** To the thread. Closing the port ends the parsing. */
export type BodyNews = BodyBatch | 'end'

/** From the thread, after each batch: how many bytes it holds of the body. */
export type BodyHeld = number

/** A body that is still arriving. */
export interface ComingBody {
  /** Rejects with the reason when the body is cut off or refused. A reader that stops early calls `return`, and the rest is discarded. */
  batches: AsyncIterableIterator<BodyBatch>
  /** The reader of the batches reports how many bytes it holds of the body. */
  held(bytes: number): void
}
