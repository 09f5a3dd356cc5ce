import type { FailureCode } from './failures.ts'

/**
 * The outcome of a queued send, which the `delivery` event also states. `sent` means that the network acknowledged the
 * message. `phone` is the destination in the form of events; absent if the operation sent no message.
 */
export type SendOutcome = { status: 'sent'; phone?: string } | { status: 'failed'; code: FailureCode; message: string }

/** Result of a send for a waiting caller. An item that was removed from the queue has no `delivery` event. */
export type SendEnd = SendOutcome | { status: 'removed' }
