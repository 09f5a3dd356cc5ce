/** Messages per instance. Further ones are refused with `queue_full`. */
export const QUEUE_CAPACITY = 1_000
