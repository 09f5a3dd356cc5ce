/** Maximum number of messages that may wait in the queue of an instance. Further messages are refused with `queue_full`. */
export const QUEUE_CAPACITY = 1_000
