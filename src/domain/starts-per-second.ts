/**
 * Default of `SVC_STARTS_PER_SECOND`: the maximum number of sessions that begin per second and network route, after a
 * start or when the network is back.
 */
export const STARTS_PER_SECOND = 25
