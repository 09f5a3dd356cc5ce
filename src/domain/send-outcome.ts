/** The outcome of a queued send: `sent` is the network's own acknowledgement. Its `delivery` event states the same. */
import type { FailureCode } from './failures.ts'

/** `phone`: the destination as other events name it, in its registered form; absent where the message says none. */
export type SendOutcome = { status: 'sent'; phone?: string } | { status: 'failed'; code: FailureCode; message: string }

/** The outcome for a caller who waits: an item that was removed from the queue has no `delivery`. */
export type SendEnd = SendOutcome | { status: 'removed' }
