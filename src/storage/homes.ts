/**
 * The home of an instance is the one service that may write its records. A service claims the home before it writes
 * anything of the instance, and keeps the home until it releases the instance or can no longer write.
 */
export interface Homes {
  /**
   * Claims the homes of these instances, and resolves with the instances that this service now has. A home is not
   * granted if another service that can still write has it. It is also not granted if it was released to another
   * service that can still write, unless `isAnybodys` is true.
   */
  claim(instances: readonly string[], options?: { isAnybodys?: boolean }): Promise<ReadonlySet<string>>
  /**
   * Gives up the homes of these instances; all commits for them must have ended. Any service can then claim the homes.
   * If `wanted` is given, the service with this id comes first (except for `isAnybodys`). After a rejection, `isOwn`
   * tells which instances this service still has.
   */
  release(instances: readonly string[], wanted?: string): Promise<void>
  /** Gives up the home of a completely erased instance, and removes its entry from the store. */
  remove(instance: string): Promise<void>
  /**
   * True if the store has answered that this service has the instance, and the service has not begun to release or
   * remove it since. If the answer to a claim was lost, the result is false until the next claim is answered.
   */
  isOwn(instance: string): boolean
  /** Returns the instances for which `isOwn` is true. */
  own(): string[]
  /**
   * True if this service neither has the instance nor is claiming, releasing or removing it. If the store names this
   * service as the home nevertheless, the answer to an earlier claim or removal was lost.
   */
  isSettledElsewhere(instance: string): boolean
  /**
   * Resolves with the homes of all instances; reads them only if something has changed since the last call. The result
   * includes each change of this service that was answered before, unless its changes follow each other without a
   * pause.
   */
  all(): Promise<readonly StoredHome[]>
}

/** The entry for the home of an instance in the store. The id of a service is the id of its main thread's writer. */
export interface StoredHome {
  instance: string
  /**
   * Id of the service that has the instance, or that had it when the service ended; null if the instance was released.
   */
  writer: string | null
  /** Id of the service to which the instance was released; null if a service has claimed it, or if any service may. */
  wanted: string | null
  /** True if no service that can still write has the instance. */
  isFree: boolean
  /**
   * True if, within the last day, a service took the instance over from a service that had not released it. That former
   * service was perhaps only paused, and would log in once more when it continues.
   */
  isTakenOver: boolean
}

/**
 * Claims the homes of the instances. If only this machine can use the store, there are no homes, and this service has
 * all instances.
 */
export const claimHomes = async (homes: Homes | undefined, instances: readonly string[]): Promise<ReadonlySet<string>> =>
  homes === undefined ? new Set(instances) : homes.claim(instances)
