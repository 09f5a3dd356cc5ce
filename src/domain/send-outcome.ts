/** The outcome of a queued send. `sent` means that the network acknowledged the message. The `delivery` event states the same. */
import type { FailureCode } from './failures.ts'

/** In the outcome of a sent message, `phone` is the destination in the form that events use, and is absent if the message does not state it. */
export type SendOutcome = { status: 'sent'; phone?: string } | { status: 'failed'; code: FailureCode; message: string }

/** Result of a send for a caller that waits. There is no `delivery` event for an item that was removed from the queue. */
export type SendEnd = SendOutcome | { status: 'removed' }
