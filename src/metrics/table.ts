/**
 * The metrics of the service, without the default ones of prom-client (`process.ts`): name, kind and labels. No label
 * contains a phone number, an instance id, a token or a URL.
 */
import { STREAM_READERS } from '../domain/server-events.ts'

export interface Metric {
  kind: 'counter' | 'gauge' | 'histogram'
  labels: readonly string[]
  help: string
  /**
   * Label values of series that are exposed as 0 before their first event, because `increase()` of Prometheus does not
   * see the first step of a new series. `measured.ts` adds those that only members of a cluster have.
   */
  zero?: readonly (readonly string[])[]
}

/** Upper bounds of the buckets in seconds. The highest is above the longest deadline of an operation (45 s). */
export const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const

const one = (...values: string[]) => values.map((value) => [value])
const STALL_CAUSES = one('message', 'receipt', 'notification', 'call', 'frame')

export const METRICS = {
  svc_http_requests_total: {
    kind: 'counter',
    labels: ['method', 'route', 'status'],
    help: 'Requests answered. Status 499 means that the caller closed the connection before the answer was ready.',
  },
  svc_http_request_duration_seconds: {
    kind: 'histogram',
    labels: ['method', 'route'],
    help: 'Time from a request until its answer is ready, in seconds; transmission is not included.',
  },
  svc_instances: { kind: 'gauge', labels: ['status'], help: 'Number of instances, by status.' },
  svc_instances_not_started: {
    kind: 'gauge',
    labels: [],
    help: 'Number of instances that this service has and could not start; it tries again.',
  },
  svc_instance_status_changes_total: {
    kind: 'counter',
    labels: ['to', 'reason'],
    help: 'Status changes, by new status; the first status of a new instance counts.',
  },
  svc_engine_reconnects_total: {
    kind: 'counter',
    labels: ['reason'],
    help: 'Reconnections of paired instances, by the reason in their status.',
  },
  svc_restrictions_total: {
    kind: 'counter',
    labels: ['kind'],
    help: 'Account restrictions: those that the network imposed, and those found when an instance started.',
    zero: one('reach_out'),
  },
  svc_standbys: {
    kind: 'gauge',
    labels: [],
    help: 'Number of standbys that wait for this service to end; only with SVC_STANDBY=on.',
  },
  svc_nodes: {
    kind: 'gauge',
    labels: ['state'],
    help: 'Services on the store by state: active, leaving (a member that gives its instances away), standby, or lost (killed within the last hour); only with PostgreSQL.',
  },
  svc_homes: {
    kind: 'gauge',
    labels: ['at'],
    help: 'Instances of the cluster by where they are: here (this member has them), elsewhere (another member), or nowhere (none has them at the moment); only with SVC_CLUSTER=on.',
  },
  svc_moves_total: {
    kind: 'counter',
    labels: ['reason', 'result'],
    help: 'Instances that this member gave to another one, because that one has fewer (balance), this one leaves (drain), or this one cannot start them (start_failed), by result: given, or failed (it stays here).',
  },
  svc_homes_claimed_total: {
    kind: 'counter',
    labels: ['after'],
    help: 'Instances that this member has taken, by what was before: move (another member gave it), stop (nobody had it after a stop), or failure (the service that had it has ended without giving it away).',
  },
  svc_standing_by: {
    kind: 'gauge',
    labels: [],
    help: 'Is 1 while this service is a standby or takes over, and missing while it is active.',
  },
  svc_forwards_total: {
    kind: 'counter',
    labels: ['result'],
    help: 'Requests that this service, as a standby, passed on to the active one: answered, refused (not carried out), unknown (the connection broke), or left by their caller.',
  },
  svc_queue_waiting: {
    kind: 'gauge',
    labels: [],
    help: 'Messages waiting in the queues, also for their send_at; a message in flight does not count.',
  },
  svc_queue_sent_total: { kind: 'counter', labels: ['type'], help: 'Queued messages that the network accepted, by operation.' },
  svc_queue_failed_total: {
    kind: 'counter',
    labels: ['type', 'error_code'],
    help: 'Queued messages that ended without being sent, by operation and error code of their delivery event.',
  },
  svc_engine_action_duration_seconds: {
    kind: 'histogram',
    labels: ['operation'],
    help: 'Time that an immediate operation took in the engine, in seconds; failed operations count.',
  },
  svc_engine_action_errors_total: {
    kind: 'counter',
    labels: ['operation', 'code'],
    help: 'Immediate operations that the engine answered with a failure.',
  },
  svc_webhook_deliveries_total: {
    kind: 'counter',
    labels: ['type', 'result'],
    help: 'Attempts to deliver an event, by outcome: delivered, retry (attempted again later) or failed (dropped).',
  },
  svc_webhook_duration_seconds: {
    kind: 'histogram',
    labels: ['type'],
    help: 'Time that one attempt to deliver an event took, in seconds.',
  },
  svc_webhook_overflow_total: {
    kind: 'counter',
    labels: ['type'],
    help: 'Events dropped because more than SVC_OUTBOX_MAX events of an instance were waiting.',
  },
  svc_webhook_backlog: { kind: 'gauge', labels: [], help: 'Events on disk that wait for delivery.' },
  svc_event_streams: {
    kind: 'gauge',
    labels: ['reader'],
    help: 'Open event streams, by reader: programs that read the events of an instance (events) and pages (dashboard).',
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
    help: 'Streams closed because their reader accepted no data for 30 s.',
    zero: one(...STREAM_READERS),
  },
  svc_event_stream_gaps_total: {
    kind: 'counter',
    labels: [],
    help: 'Gaps reported to readers: the events that follow their last event are no longer stored.',
    zero: [[]],
  },
  svc_rate_limited_total: {
    kind: 'counter',
    labels: ['scope'],
    help: 'Requests refused with rate_limited, by the limit that was reached.',
    zero: one('instance', 'workspace', 'link', 'credential', 'address'),
  },
  svc_inbound_stanzas_total: {
    kind: 'counter',
    labels: ['kind'],
    help: 'Stanzas from the network to connected instances that require an answer.',
    zero: one('message', 'receipt', 'notification', 'call'),
  },
  svc_messages_received_total: {
    kind: 'counter',
    labels: [],
    help: 'Messages from other people, groups and channels that could be read; those of the account itself do not count.',
    zero: [[]],
  },
  svc_stanzas_left_total: {
    kind: 'counter',
    labels: ['tag', 'type'],
    help: 'Stanzas of known kinds that the service confirms and ignores (workers/shard/stanzas/stanza-left.ts gives the reasons).',
  },
  svc_stanzas_unknown_total: {
    kind: 'counter',
    labels: ['tag', 'type'],
    help: 'Stanzas of kinds that this release does not know; they are confirmed and ignored.',
  },
  svc_messages_unreported_total: {
    kind: 'counter',
    labels: ['reason'],
    help: 'Messages that are confirmed without an event (workers/shard/receive/unreported.ts gives the reasons).',
  },
  svc_media_copies_total: {
    kind: 'counter',
    labels: ['result'],
    help: 'Tries to copy a received file to the bucket of SVC_MEDIA_URL: copied, retry (tried again later) or lost (the network no longer has the file, or the term is over).',
    zero: one('copied', 'retry', 'lost'),
  },
  svc_events_total: { kind: 'counter', labels: ['type'], help: 'Events stored for delivery.' },
  svc_inbound_stalled_total: {
    kind: 'counter',
    labels: ['cause'],
    help: 'Connections replaced because they no longer processed what they received. The log names the instance.',
    zero: STALL_CAUSES,
  },
  /** Former name of `svc_inbound_stalled_total`, kept so that alerts keep working; it is removed with 2.0.0. */
  svc_inbound_deaf_total: {
    kind: 'counter',
    labels: ['cause'],
    help: 'Deprecated: the former name of svc_inbound_stalled_total, removed in 2.0.0.',
    zero: STALL_CAUSES,
  },
  svc_inbound_age_instances: {
    kind: 'gauge',
    labels: ['le'],
    help: 'Connected instances by the age of their last inbound stanza: le is the upper limit in seconds.',
  },
  svc_inbound_age_max_seconds: {
    kind: 'gauge',
    labels: [],
    help: 'Age of the last inbound stanza in seconds, for the connected instance with the oldest one.',
  },
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof METRICS
type OfKind<K extends Metric['kind']> = { [N in MetricName]: (typeof METRICS)[N]['kind'] extends K ? N : never }[MetricName]
export type CounterName = OfKind<'counter'>
export type HistogramName = OfKind<'histogram'>
export type LabelsOf<N extends MetricName> = Readonly<Record<(typeof METRICS)[N]['labels'][number], string>>
