/**
 * The rows of `svc_service`: each service of a schema has one, with its addresses. A service raises the counter `beat`
 * of its own row and sets `seen_at`.
 *
 * Each service watches the counters of the others by its own clock (`node-watch.ts`), because the clock of the database
 * may be set, and differs after a failover. `seen_at` is compared with that clock only for a counter that was not yet
 * seen to rise, for the list on request, and to remove old rows.
 */
import type { NodeState, ServiceNode, Takeover, TakeoverCause } from '../../../../domain/nodes.ts'
import { isHost, isPort, type StandbyAddress } from '../../../../domain/standby-address.ts'
import type { Member } from '../../../members.ts'
import type { OwnNode } from '../../../store-backend.ts'
import type { Question } from '../link.ts'

/** Interval in ms at which a service raises its counter. */
export const BEAT_EVERY = 1_000
/**
 * Maximum difference in ms between the `seen_at` of a service and the present time. A service with a greater difference
 * is lost.
 */
export const LOST_AFTER = 5_000
/**
 * Milliseconds for which a service that gave no sign of life may return and replace this one. Such a service may have
 * been cut off from the database, or have stood still.
 */
export const MAY_RETURN_WITHIN = 60_000
const KEPT = '1 hour'

/**
 * SQL with which a change of the counter does not wait for the disk. It does no harm if the counter goes back after a
 * failure of the database.
 */
const UNSYNCED = "w AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS set)"
/**
 * SQL of the host of a service. If `parameter` is null, it is the address from which the service is connected to the
 * database.
 */
const hostOf = (parameter: string) => `coalesce(${parameter}::text, host(inet_client_addr()), '127.0.0.1')`

const STANDBY = `WITH ${UNSYNCED} INSERT INTO svc_service AS n (id, name, release, state, host, port, peer_port)
  SELECT $1::uuid, $2::text, $3::text, 'standby', ${hostOf('$4')}, $5::int, $6::int FROM w WHERE w.set <> ''
  ON CONFLICT (id) DO UPDATE SET beat = n.beat + 1, seen_at = now(), host = EXCLUDED.host`

const valuesOf = ({ id, name, release, host, port, peerPort }: OwnNode) => [
  id,
  name,
  release,
  host ?? null,
  port ?? null,
  peerPort ?? null,
]

/** Creates the row of a standby, or raises its counter. */
export const showStandby = (node: OwnNode): Question => ({ text: STANDBY, values: valuesOf(node) })

export const removeNode = ({ id }: OwnNode): Question => ({ text: 'DELETE FROM svc_service WHERE id = $1', values: [id] })

/**
 * Marks the rows of services that have ended. The rows stay, so that operators see them, although the writers of these
 * services are removed.
 */
export const LOSE = `UPDATE svc_service SET writer = NULL, state = 'lost', since = now() WHERE writer = ANY ($1::uuid[]) RETURNING name`

const INSERT_ACTIVE = `INSERT INTO svc_service AS n (id, writer, name, release, state, leaving, host, port, peer_port, former, takeover)
  SELECT $1::uuid, $7::uuid, $2::text, $3::text, $10::text, $11::boolean, ${hostOf('$4')}, $5::int, $6::int, $8::text, $9::text`
const OR_UPDATE_ACTIVE = `ON CONFLICT (id) DO UPDATE SET writer = EXCLUDED.writer, state = EXCLUDED.state, leaving = EXCLUDED.leaving,
  since = now(), seen_at = now(), beat = n.beat + 1, host = EXCLUDED.host, former = EXCLUDED.former, takeover = EXCLUDED.takeover`
const ACTIVE = `${INSERT_ACTIVE} ${OR_UPDATE_ACTIVE}`
const ACTIVE_AGAIN = `WITH ${UNSYNCED} ${INSERT_ACTIVE} FROM w WHERE w.set <> '' ${OR_UPDATE_ACTIVE}`

/** `member`: active, as one of several (`SVC_CLUSTER`). `active`: active alone, as the owner of the schema. */
export type ActiveState = 'active' | 'member'

export interface ActiveNode {
  node: OwnNode
  writer: string
  state: ActiveState
  /**
   * Whether it is a member that gives its instances to the others. In the table this is not a state, because an earlier
   * release sends no commands to a service whose state it does not know.
   */
  isLeaving?: boolean
  takeover: Takeover | undefined
}

const activeWith =
  (text: string) =>
  ({ node, writer, state, isLeaving = false, takeover }: ActiveNode): Question => ({
    text,
    values: [...valuesOf(node), writer, takeover?.from ?? null, takeover?.cause ?? null, state, isLeaving],
  })

/** Writes the row of an active service in the transaction of a takeover, which waits for the disk. */
export const showActive = activeWith(ACTIVE)

/** Writes the row of an active service again. Like a change of the counter, this does not wait for the disk. */
export const showActiveAgain = activeWith(ACTIVE_AGAIN)

/**
 * Common table expressions (CTEs) with which an active service raises its own counter, shows whether it is leaving, and
 * removes old rows. $1 is the writer of the service, $2 its host, and $3 is true if it is leaving.
 */
export const BEAT = `${UNSYNCED},
  b AS (UPDATE svc_service SET beat = beat + 1, seen_at = now(), host = ${hostOf('$2')},
    since = CASE WHEN leaving = $3::boolean THEN since ELSE now() END, leaving = $3::boolean FROM w WHERE writer = $1 AND w.set <> '' RETURNING 1),
  p AS (DELETE FROM svc_service USING w WHERE writer IS NULL AND seen_at < now() - interval '${KEPT}' AND w.set <> '')`

/** SQL that is true if the service of `BEAT` has a row. */
export const HAS_ROW = 'EXISTS (SELECT FROM b)'

const ms = (time: string) => `floor(extract(epoch FROM ${time}) * 1000)::bigint`

/** SQL that returns all rows of `svc_service`, as one JSON text. A member that leaves has the state `leaving` in it. */
export const NODES = `(SELECT json_agg(json_build_object('id', id, 'writer', writer, 'name', name, 'release', release,
  'state', CASE WHEN leaving AND state = 'member' THEN 'leaving' ELSE state END,
  'host', host, 'port', port, 'peerPort', peer_port, 'beat', beat, 'since', ${ms('since')}, 'seenAt', ${ms('seen_at')}, 'silentMs', ${ms('(now() - seen_at)')},
  'former', former, 'takeover', takeover) ORDER BY state, since, id) FROM svc_service)`

export interface NodeRow {
  id: string
  /** Id of the writer of the service's main thread; null if the service is not active. */
  writer: string | null
  name: string
  release: string
  state: NodeState | 'member'
  host: string
  /** Port at which a standby says whether it can reach the database. */
  port: number | null
  /** Port of the link between services. */
  peerPort: number | null
  beat: number
  since: number
  seenAt: number
  silentMs: number
  former: string | null
  takeover: TakeoverCause | null
}

export const nodesIn = (text: unknown): NodeRow[] => (typeof text === 'string' ? (JSON.parse(text) as NodeRow[]) : [])

/**
 * True if the service gave no sign of life for `forMs` ms. A time in the future also counts as silence, because it was
 * written before the clock of the database was set back.
 */
const isSilent = ({ silentMs }: NodeRow, forMs: number) => Math.abs(silentMs) > forMs
const isLost = (row: NodeRow) => row.state === 'lost' || isSilent(row, LOST_AFTER)

/**
 * Returns a row as the list of services shows it. The silence of the service `self`, which has read the rows, does not
 * make it lost.
 */
export function nodeOf(row: NodeRow, self: string | undefined): ServiceNode {
  const { id, writer, name, release, host, peerPort, seenAt, silentMs, former, takeover } = row
  const lost = id !== self && isLost(row)
  return {
    id,
    writer: writer ?? undefined,
    name,
    release,
    address: peerPort === null ? undefined : { host, port: peerPort },
    healthAddress: addressOf(row)[0],
    state: lost ? 'lost' : row.state === 'member' ? 'active' : row.state,
    since: lost ? seenAt : row.since,
    seenAt,
    silentMs,
    takeover: takeover === null ? undefined : { from: former ?? undefined, cause: takeover },
  }
}

/**
 * Returns the other members of a cluster that have given a sign of life within `withinMs` ms. Rows without a valid
 * address are left out.
 */
export const membersIn = (rows: readonly NodeRow[], own: string, withinMs: number): Member[] =>
  rows.flatMap((row) => {
    const { writer: id, name, host, peerPort: port, state } = row
    const isLeaving = state === 'leaving'
    const isOther = (state === 'member' || isLeaving) && id !== null && id !== own && !isSilent(row, withinMs)
    return isOther && isHost(host) && port !== null && isPort(port) ? [{ id, name, host, port, isLeaving }] : []
  })

export interface Standbys {
  /** The standbys that run at the moment. */
  present: StandbyAddress[]
  /** The standbys that may take over: also those that ran within the last minute and may return. */
  possible: StandbyAddress[]
}

/**
 * Returns the standbys in the rows, and `connected`, the standbys that have a connection. Rows without a valid address
 * are left out.
 */
export function standbysOf(rows: readonly NodeRow[], connected: readonly StandbyAddress[]): Standbys {
  const within = (ms: number) => [
    ...connected,
    ...rows.filter((row) => row.state === 'standby' && !isSilent(row, ms)).flatMap(addressOf),
  ]
  return { present: distinct(within(LOST_AFTER)), possible: distinct(within(MAY_RETURN_WITHIN)) }
}

const addressOf = ({ host, port }: NodeRow): StandbyAddress[] =>
  isHost(host) && port !== null && isPort(port) ? [{ host, port }] : []

const distinct = (standbys: readonly StandbyAddress[]) => [
  ...new Map(standbys.map((each) => [`${each.host} ${each.port}`, each])).values(),
]
