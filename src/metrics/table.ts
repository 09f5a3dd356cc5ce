/**
 * Every metric of the service (shared/api/mcp-and-system.md, `system.metrics`): its name, its kind and its
 * labels. One table for the threads that count and the one that shows.
 *
 * No label ever holds a phone number, an instance id, a token or a URL: its values are words of our own tables (operations, failures,
 * statuses, routes as they are declared).
 */
import { STREAM_READERS } from '../domain/server-events.ts'

export interface Metric {
  kind: 'counter' | 'gauge' | 'histogram'
  labels: readonly string[]
  help: string
  /** Shown as 0 before the first: `increase()` does not see the step of a series that begins with it. */
  zero?: readonly (readonly string[])[]
}

/** Upper bounds of the buckets of every histogram, in seconds: from an answer out of memory to the longest deadline of an operation. */
export const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const

const one = (...values: string[]) => values.map((value) => [value])
const STALL_CAUSES = one('message', 'receipt', 'notification', 'call', 'frame')

export const METRICS = {
  svc_http_requests_total: {
    kind: 'counter',
    labels: ['method', 'route', 'status'],
    help: 'Requests answered. Status 499: the caller had gone before the answer was made.',
  },
  svc_http_request_duration_seconds: {
    kind: 'histogram',
    labels: ['method', 'route'],
    help: 'Time from a request to its answer, without the sending of it.',
  },
  svc_instances: { kind: 'gauge', labels: ['status'], help: 'Instances by status.' },
  svc_instance_status_changes_total: {
    kind: 'counter',
    labels: ['to', 'reason'],
    help: 'Changes of status, and the first one of a new instance.',
  },
  svc_engine_reconnects_total: {
    kind: 'counter',
    labels: ['reason'],
    help: 'Connections opened again for a paired instance, by the reason its status had then.',
  },
  svc_restrictions_total: {
    kind: 'counter',
    labels: ['kind'],
    help: 'Times the network began to restrict an account, and accounts found restricted at a start.',
    zero: one('reach_out'),
  },
  svc_queue_waiting: { kind: 'gauge', labels: [], help: 'Messages that wait in the queues, those in flight not counted.' },
  svc_queue_sent_total: { kind: 'counter', labels: ['type'], help: 'Queued messages the network took, by operation.' },
  svc_queue_failed_total: {
    kind: 'counter',
    labels: ['type', 'error_code'],
    help: 'Queued messages that ended without being sent, by operation and error code of their delivery event.',
  },
  svc_engine_action_duration_seconds: {
    kind: 'histogram',
    labels: ['operation'],
    help: 'Time an immediate operation took in the engine, failed ones included.',
  },
  svc_engine_action_errors_total: {
    kind: 'counter',
    labels: ['operation', 'code'],
    help: 'Immediate operations the engine answered with a failure.',
  },
  svc_webhook_deliveries_total: {
    kind: 'counter',
    labels: ['type', 'result'],
    help: 'Attempts to deliver an event: delivered, retry (tried again later) or failed (given up).',
  },
  svc_webhook_duration_seconds: { kind: 'histogram', labels: ['type'], help: 'Time of one attempt to deliver an event.' },
  svc_webhook_overflow_total: {
    kind: 'counter',
    labels: ['type'],
    help: 'Events given up because more than SVC_OUTBOX_MAX of an instance waited.',
  },
  svc_webhook_backlog: { kind: 'gauge', labels: [], help: 'Events on disk that are still to be delivered.' },
  svc_event_streams: {
    kind: 'gauge',
    labels: ['reader'],
    help: 'Open streams: of programs that read the events of an instance (events), and of pages (dashboard).',
  },
  svc_event_stream_events_total: {
    kind: 'counter',
    labels: ['reader'],
    help: 'Events written to streams.',
    zero: one(...STREAM_READERS),
  },
  svc_event_stream_cuts_total: {
    kind: 'counter',
    labels: ['reader'],
    help: 'Streams cut because their reader took nothing for half a minute.',
    zero: one(...STREAM_READERS),
  },
  svc_event_stream_gaps_total: {
    kind: 'counter',
    labels: [],
    help: 'Gaps reported to readers: events behind the one they had last are not kept any more.',
    zero: [[]],
  },
  svc_rate_limited_total: {
    kind: 'counter',
    labels: ['scope'],
    help: 'Requests refused with rate_limited, by the limit they met.',
    zero: one('instance', 'workspace', 'credential', 'address'),
  },
  svc_inbound_stanzas_total: {
    kind: 'counter',
    labels: ['kind'],
    help: 'Stanzas the network sent to connected instances and wants answered.',
    zero: one('message', 'receipt', 'notification', 'call'),
  },
  svc_stanzas_left_total: {
    kind: 'counter',
    labels: ['tag', 'type'],
    help: 'Stanzas of kinds that are known and that nothing is done about (workers/shard/stanza-left.ts has the reasons).',
  },
  svc_stanzas_unknown_total: {
    kind: 'counter',
    labels: ['tag', 'type'],
    help: 'Stanzas of kinds that this release does not know: confirmed, and nothing else.',
  },
  svc_messages_unreported_total: {
    kind: 'counter',
    labels: ['reason'],
    help: 'Messages that are confirmed without an event (workers/shard/receive/unreported.ts has the reasons).',
  },
  svc_events_total: { kind: 'counter', labels: ['type'], help: 'Events written for delivery.' },
  svc_inbound_stalled_total: {
    kind: 'counter',
    labels: ['cause'],
    help: 'Connections replaced because they no longer processed what they received. The log names the instance.',
    zero: STALL_CAUSES,
  },
  /** The former name, kept for one release so that alerts keep working; remove it after 0.2.0. */
  svc_inbound_deaf_total: {
    kind: 'counter',
    labels: ['cause'],
    help: 'Deprecated: the former name of svc_inbound_stalled_total, removed in the next release.',
    zero: STALL_CAUSES,
  },
  svc_inbound_age_instances: {
    kind: 'gauge',
    labels: ['le'],
    help: 'Connected instances whose last inbound stanza is at most this many seconds old.',
  },
  svc_inbound_age_max_seconds: {
    kind: 'gauge',
    labels: [],
    help: 'Age of the last inbound stanza of the connected instance that has heard nothing for longest.',
  },
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof METRICS
type OfKind<K extends Metric['kind']> = { [N in MetricName]: (typeof METRICS)[N]['kind'] extends K ? N : never }[MetricName]
export type CounterName = OfKind<'counter'>
export type HistogramName = OfKind<'histogram'>
export type LabelsOf<N extends MetricName> = Readonly<Record<(typeof METRICS)[N]['labels'][number], string>>
