import { DAY, HOUR, MINUTE, SECOND } from '../domain/clock.ts'
import type { Status } from '../domain/instance.ts'
import { CLAIMED_AFTER, countNodes, type HomePlace, MOVE_REASONS, MOVE_RESULTS, type ServiceNode } from '../domain/nodes.ts'
import type { StreamReader } from '../domain/server-events.ts'
import { keyOf, type Numbers, type ShardReport } from './tally.ts'

/** Bounds in ms for the time since an instance received its last stanza. A quiet account may receive none for days. */
const AGES = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, DAY, 3 * DAY] as const

export interface Measured extends Pick<ShardReport, 'waiting' | 'backlog' | 'lastInboundAt'> {
  instances: Readonly<Record<Status, number>>
  /** Number of instances that this service has and could not start. */
  notStarted: number
  streams: Readonly<Record<StreamReader, number>>
  /** All services of the store; undefined if only this machine can use it. */
  nodes: readonly Pick<ServiceNode, 'state'>[] | undefined
  /** Instances of the cluster by where they are; undefined if this service is no member of one. */
  homes: Readonly<Record<HomePlace, number>> | undefined
  /** True if the service can be one of a pair (an active service and its standby). */
  isPair: boolean
  now: number
}

/**
 * Returns the measurements of this moment. The time since the last stanza of each instance is computed here, so that it
 * keeps growing, and raises an alert, if the shard thread does not answer.
 */
export function measured(all: Measured): Numbers {
  const { instances, notStarted, streams, nodes, homes, isPair, waiting, backlog, lastInboundAt, now } = all
  const ages = lastInboundAt.map((at) => Math.max(0, now - at))
  const upTo = (bound: number) => ages.filter((age) => age <= bound).length
  return new Map([
    ...Object.entries(instances).map(([status, count]) => [keyOf('svc_instances', { status }), count] as const),
    [keyOf('svc_instances_not_started', {}), notStarted],
    ...Object.entries(streams).map(([reader, count]) => [keyOf('svc_event_streams', { reader }), count] as const),
    ...ofNodes(nodes, isPair),
    ...(homes === undefined ? [] : ofMember(homes)),
    [keyOf('svc_queue_waiting', {}), waiting],
    [keyOf('svc_webhook_backlog', {}), backlog],
    ...AGES.map((bound) => [keyOf('svc_inbound_age_instances', { le: String(bound / SECOND) }), upTo(bound)] as const),
    [keyOf('svc_inbound_age_instances', { le: '+Inf' }), ages.length],
    [keyOf('svc_inbound_age_max_seconds', {}), ages.reduce((most, age) => Math.max(most, age), 0) / SECOND],
  ])
}

/**
 * The counters of a member are exposed as 0 before their first event, because `increase()` of Prometheus does not see
 * the first step of a new series.
 */
function ofMember(homes: NonNullable<Measured['homes']>): [string, number][] {
  const moves = MOVE_REASONS.flatMap((reason) => MOVE_RESULTS.map((result) => keyOf('svc_moves_total', { reason, result })))
  const claims = CLAIMED_AFTER.map((after) => keyOf('svc_homes_claimed_total', { after }))
  return [
    ...Object.entries(homes).map(([at, count]): [string, number] => [keyOf('svc_homes', { at }), count]),
    ...[...moves, ...claims].map((key): [string, number] => [key, 0]),
  ]
}

function ofNodes(nodes: Measured['nodes'], isPair: boolean): [string, number][] {
  if (nodes === undefined) return []
  const counts = countNodes(nodes)
  const all = Object.entries(counts).map(([state, count]): [string, number] => [keyOf('svc_nodes', { state }), count])
  return isPair ? [...all, [keyOf('svc_standbys', {}), counts.standby]] : all
}
