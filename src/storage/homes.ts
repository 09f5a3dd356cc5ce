/**
 * The home of an instance is the one service that may write its records. A service claims the home before it writes
 * anything of the instance, and has it until it gives it up or can no longer write.
 */
export interface Homes {
  /**
   * Resolves with those of the instances that this service has now; another service that may still write has the others.
   * A home that was released to another service is left to that one, unless it has ended or `isAnybodys` is true.
   */
  claim(instances: readonly string[], options?: { isAnybodys?: boolean }): Promise<ReadonlySet<string>>
  /**
   * Must be called when all commits for the instances have ended. Another service may then claim them: at first only the
   * one with the id `wanted`, if it is given. If it rejects, `isOwn` says which of them this service still has.
   */
  release(instances: readonly string[], wanted?: string): Promise<void>
  /** As `release`, for an instance that is completely erased. */
  remove(instance: string): Promise<void>
  /**
   * Whether the store has answered that this service has the instance, and the service has not begun to release it since.
   * If the answer to a claim was lost, the result is false until the next claim is answered.
   */
  isOwn(instance: string): boolean
  /** Those for which `isOwn` is true. */
  own(): string[]
  /**
   * True if this service neither has the instance nor claims, releases or removes it at the moment. If the store names
   * this service nevertheless, the answer to an earlier claim or removal was lost.
   */
  isSettledElsewhere(instance: string): boolean
  /**
   * The homes of all instances. Reads them only if one has changed since the last call. They are not older than any
   * claim, release or removal that was answered before the promise resolves, unless these go on all the time.
   */
  all(): Promise<readonly StoredHome[]>
}

/** The entry of an instance in the store. Services are named by their ids, which are those of their writers. */
export interface StoredHome {
  instance: string
  /** The service that has it, or had it when it ended; null if it was released. */
  writer: string | null
  /** The service to which it was released. */
  wanted: string | null
  /** True if no service has it that may still write. */
  isFree: boolean
  /**
   * True if a service got it within the last day from one that had ended without releasing it. That one may only stand
   * still, and log in once more when it goes on. Later moves keep the value.
   */
  isTakenOver: boolean
}

/** If only this machine can use the store, this service has all instances. */
export const claimHomes = async (homes: Homes | undefined, instances: readonly string[]): Promise<ReadonlySet<string>> =>
  homes === undefined ? new Set(instances) : homes.claim(instances)
