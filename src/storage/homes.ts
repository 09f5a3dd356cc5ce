/**
 * The home of an instance is the one service that may write its records. A service claims the home before it writes
 * anything of the instance, and has it until it gives it up or can no longer write.
 */
export interface Homes {
  /** Resolves with those of the instances that this service has now; another service that may still write has the others. */
  claim(instances: readonly string[]): Promise<ReadonlySet<string>>
  /** Must be called when all commits for the instance have ended. Another service may then claim it. */
  release(instance: string): Promise<void>
  /** As `release`, for an instance that is completely erased. */
  remove(instance: string): Promise<void>
  /** All instances that some service has, or had when it ended. */
  all(): Promise<string[]>
}

/** If only this machine can use the store, this service has all instances. */
export const claimHomes = async (homes: Homes | undefined, instances: readonly string[]): Promise<ReadonlySet<string>> =>
  homes === undefined ? new Set(instances) : homes.claim(instances)
