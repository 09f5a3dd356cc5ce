/** Maximum number of queued messages per instance. A further message is refused with `queue_full`. */
export const QUEUE_CAPACITY = 1_000
