/** One service of a cluster (`SVC_CLUSTER`), whose services all use the store at the same time. */
export interface Member {
  /** Id of the main thread's writer. The entry for the home of an instance contains it. */
  id: string
  name: string
  host: string
  /** Port of the link between services (`SVC_PEER_PORT`). */
  port: number
  /** Whether this member gives its instances away, and takes none. */
  isLeaving?: boolean
}

export interface Members {
  /**
   * The other members that were alive at the last look at the store. Empty before this service has joined the cluster.
   */
  others(): readonly Member[]
  /**
   * Adds a listener, which is called after each successful look at the members (once a second), and after a member was
   * removed. Listeners must not throw, and are called in the order in which they were added.
   */
  onLook(listener: () => void): void
  /** True if this service has reached the store recently enough to judge that another member is dead. */
  reachesStore(): boolean
  /**
   * Marks this service as one that gives its instances away. The other members read the mark after the next update of
   * this service's row.
   */
  leave(): void
  /**
   * Does the same as `leave`, unless no other member would stay; of the last two members, only one leaves. Resolves
   * within a second or two with whether this member leaves. Rejects if the store does not answer, or has not been asked
   * when the signal is aborted; this member then stays.
   */
  leaveIfOthersStay(signal: AbortSignal): Promise<boolean>
}

/** The other members that take instances. */
export const stayingOf = (members: Pick<Members, 'others'>): readonly Member[] =>
  members.others().filter(({ isLeaving }) => !isLeaving)

/**
 * Answer of another member. `reaches`: it can use the store. `away`: it cannot, so it replaces nobody. `refused`:
 * nothing listens at its address, so it has ended. `other`: it has ended, and another service process listens there.
 */
export type MemberAnswer = 'reaches' | 'away' | 'refused' | 'other'

export interface ClusterOptions {
  /**
   * Asks another member whether it reaches the store. Never rejects: resolves with undefined if there is no answer
   * before the signal is aborted.
   */
  ask(member: Member, signal: AbortSignal): Promise<MemberAnswer | undefined>
  /** Called when this service has removed a member that no longer runs. */
  onLost(name: string): void
  /** Called once for a member that no longer runs, if the database has refused its removal several times. */
  onNotRemoved(name: string, cause: unknown): void
}
