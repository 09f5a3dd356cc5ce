/**
 * Requests that one service has allowed for an instance, a workspace or a session since its last report to the others.
 */
export type LimitUse = readonly [owner: string, requests: number]

/** Exchange of counted requests, so that the services of a store count a request limit together. */
export interface LimitShare {
  /** Returns the requests that this service has allowed since the last call. */
  uses(): LimitUse[]
  /** Counts the requests that another service has allowed. */
  spend(uses: readonly LimitUse[]): void
}
