/**
 * Requests that one service has allowed for an instance, a workspace or a session since its last report to the others.
 */
export type LimitUse = readonly [owner: string, requests: number]

/** The request limit of this service, as far as the services of a store count it together. */
export interface LimitShare {
  /** Returns the requests that this service has allowed since the last call. */
  uses(): LimitUse[]
  /** Counts the requests that another service has allowed. */
  spend(uses: readonly LimitUse[]): void
}
