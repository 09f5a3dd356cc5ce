/**
 * Operations of an administrator on the webhook log. A separate thread reads the log, because it may be long; the shard
 * threads send events again.
 */
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import type { EventsOf, LogReader, WebhookLog } from '../domain/webhook-log.ts'
import type { Engine } from '../engine/engine.ts'

export const MAX_REPLAY = 10_000
/** Maximum number of events in one request to a shard thread. */
const AT_ONCE = 500

export interface WebhookLogDeps {
  reader: LogReader
  engine: Pick<Engine, 'call'>
  log: Pick<Log, 'info'>
}

/**
 * Returns the failure of the whole request. `not_started` says that nothing of the request was carried out, so it is
 * reported only if this is true for every instance.
 */
function failureOf(causes: readonly unknown[], queued: number): unknown {
  const cause = causes.find((each) => !isNotStarted(each)) ?? causes[0]
  const isUnavailable = cause instanceof Failure && cause.code === 'engine_unavailable'
  if (queued === 0 || !isUnavailable) return cause
  return new Failure('engine_unavailable', {
    message: `${queued} events are sent again. Events of ${causes.length} other instances are not, because these instances are not available; try again later.`,
    details: { reason: 'partly_done', queued },
    cause,
  })
}

const isNotStarted = (error: unknown) => error instanceof Failure && error.details?.reason === 'not_started'

export function createWebhookLog({ reader, engine, log }: WebhookLogDeps): WebhookLog {
  async function ownerOf(instanceIds: readonly string[], eventId: string): Promise<string> {
    const [owner] = await reader.owners(instanceIds, [eventId])
    if (owner === undefined) throw new Failure('not_found', { message: 'No event has this id.' })
    return owner.instanceId
  }

  async function putBack(events: readonly EventsOf[]): Promise<number> {
    let queued = 0
    async function putBackOf({ instanceId, eventIds }: EventsOf) {
      for (let at = 0; at < eventIds.length; at += AT_ONCE) {
        const input = { eventIds: eventIds.slice(at, at + AT_ONCE) }
        const reply = await engine.call(instanceId, { kind: 'control', operation: 'webhooks.resendMany', input })
        queued += reply.queued
      }
    }
    const ends = await Promise.allSettled(events.map(putBackOf))
    const causes = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []))
    if (causes.length > 0) throw failureOf(causes, queued)
    return queued
  }

  return {
    list: reader.list,
    async resend(instanceIds, eventId) {
      const owner = await ownerOf(instanceIds, eventId)
      return engine.call(owner, { kind: 'control', operation: 'webhooks.resend', input: { eventId } })
    },
    async detail(instanceIds, eventId) {
      const owner = await ownerOf(instanceIds, eventId)
      return engine.call(owner, { kind: 'control', operation: 'webhooks.detail', input: { eventId } })
    },
    async body(instanceIds, eventId, source) {
      const owner = await ownerOf(instanceIds, eventId)
      const body = await engine.call(owner, { kind: 'control', operation: 'webhooks.body', input: { eventId } })
      log.info(
        { instance_id: owner, event_id: eventId, address: source },
        'dashboard: the body of an event was shown to an administrator',
      )
      return body
    },
    async resendMany(instanceIds, eventIds) {
      const queued = await putBack(await reader.owners(instanceIds, eventIds))
      return { queued, notFound: new Set(eventIds).size - queued }
    },
    async replay(range) {
      const { events, nextFrom } = await reader.resendable(range, MAX_REPLAY)
      return { queued: await putBack(events), nextFrom }
    },
  }
}
