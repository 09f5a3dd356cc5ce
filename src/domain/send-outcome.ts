/** The outcome of a queued send. `sent` means that the network acknowledged the message. The `delivery` event states the same. */
import type { FailureCode } from './failures.ts'

/** `phone`: the destination in its registered form, as other events name it; absent if the message does not state it. */
export type SendOutcome = { status: 'sent'; phone?: string } | { status: 'failed'; code: FailureCode; message: string }

/** The outcome for a caller that waits. An item that was removed from the queue has no `delivery`. */
export type SendEnd = SendOutcome | { status: 'removed' }
