/**
 * Decides which services of a store have ended. Each service raises its own counter in the database, and the watching
 * service measures with its own clock for how long each counter stays the same.
 *
 * A wrong decision costs new connections of the accounts, but no records, because a service that was replaced can store
 * nothing.
 */
export interface NodeLook {
  id: string
  /** Any text or number that changes while the service runs. */
  beat: number | string
  /**
   * Id of the service's connection, or of another sign that only its process can give; undefined if the connection has
   * ended.
   */
  connection: string | undefined
}

/**
 * - `unconnected`: the service has lost its connection, so it has probably ended.
 * - `still`: the service has its connection, but gave no sign of life for five seconds.
 * - `dead`: the service has no connection, and gave no sign of life for five seconds.
 */
export type NodeVerdict = 'alive' | 'unconnected' | 'still' | 'dead'

/**
 * Milliseconds after which a service whose counter does not change counts as silent. A service that cannot raise its
 * counter ends itself earlier.
 */
const SILENT = 5_000
/**
 * Shorter time for a service that also has no connection. It applies only if the watcher has seen the connection or a
 * rising counter, because a new server after a failover never had the connection.
 */
const UNCONNECTED = 2_000
/**
 * Longest time in ms between two reads of the counters. After a longer gap, this process or the database may have stood
 * still, so the observation of each service begins again.
 */
export const LONGEST_GAP = 1_500

export interface NodeWatch {
  /**
   * Judges all services that were found. `askedAt` is the time of the watcher's own clock at which the query was sent.
   */
  judge(found: readonly NodeLook[], askedAt: number): ReadonlyMap<string, NodeVerdict>
  /**
   * Milliseconds for which the counter had not changed at the last look; undefined if the watcher has never seen it
   * rise.
   */
  silentMs(id: string): number | undefined
  /** Begins all observations again at the next look. Called, for example, when the database could not be reached. */
  forget(): void
}

interface Observation extends NodeLook {
  since: number
  hasRisen: boolean
  wasConnected: boolean
}

export function createNodeWatch(now: () => number): NodeWatch {
  let known = new Map<string, Observation>()
  let last = Number.NEGATIVE_INFINITY
  let askedLast = 0

  function observe(look: NodeLook, at: number): Observation {
    const before = known.get(look.id)
    const isConnected = look.connection !== undefined
    if (before === undefined) return { ...look, since: at, hasRisen: false, wasConnected: isConnected }
    const isSame = before.beat === look.beat && before.connection === look.connection
    return {
      ...look,
      since: isSame ? before.since : at,
      hasRisen: before.hasRisen || before.beat !== look.beat,
      wasConnected: before.wasConnected || isConnected,
    }
  }

  function verdictOf({ connection, since, hasRisen, wasConnected }: Observation, askedAt: number): NodeVerdict {
    const silentMs = askedAt - since
    if (silentMs >= SILENT) return connection === undefined ? 'dead' : 'still'
    const hasLostIt = connection === undefined && (hasRisen || wasConnected)
    return hasLostIt && silentMs >= UNCONNECTED ? 'unconnected' : 'alive'
  }

  return {
    judge(found, askedAt) {
      const at = now()
      if (at - last > LONGEST_GAP) known = new Map()
      last = at
      askedLast = askedAt
      known = new Map(found.map((look) => [look.id, observe(look, at)]))
      return new Map([...known].map(([id, observation]) => [id, verdictOf(observation, askedAt)]))
    },
    silentMs(id) {
      const found = known.get(id)
      return found?.hasRisen ? Math.max(0, askedLast - found.since) : undefined
    },
    forget() {
      known = new Map()
    },
  }
}
