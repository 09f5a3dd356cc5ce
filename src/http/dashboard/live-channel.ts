/**
 * Events of one workspace for its dashboards: a bounded list that all readers share, so that no events are stored per
 * reader.
 */
import type { Directory } from '../../directory/directory.ts'
import type { LiveEventName, LiveEvents } from '../../domain/dashboard.ts'
import type { InstanceId, WorkspaceId } from '../../domain/ids.ts'
import { STATUSES, type Status } from '../../domain/instance.ts'
import { ATTEMPT_RESULTS, type AttemptResults, type Readings } from '../../domain/readings.ts'
import type { ServerEvent } from '../../domain/server-events.ts'
import { MAX_INSTANCE_SLOTS } from '../../domain/workspace.ts'
import { instanceRow } from '../../features/dashboard.ts'
import { orLate } from '../../lib/deadline.ts'

const KEPT = 4_096

export interface LiveChannelDeps {
  directory: Directory
  readings: Readings
  workspace: WorkspaceId
  first: number
}

export interface LiveChannel {
  streams: number
  first(): number
  end(): number
  at(place: number): { name: LiveEventName; data: string } | undefined
  /**
   * Appends the row of an instance, if the row has changed. Must be called when the status of the instance has changed.
   */
  changed(instance: string): void
  update(seconds: number): void
  state(): Generator<ServerEvent>
  news(signal: AbortSignal, ms: number): Promise<void>
  wake(): void
}

export const liveEvent = <N extends LiveEventName>(event: N, data: LiveEvents[N] | string, id?: string): ServerEvent => ({
  event,
  data: typeof data === 'string' ? data : JSON.stringify(data),
  ...(id === undefined ? {} : { id }),
})

export function createLiveChannel({ directory, readings, workspace, first: begin }: LiveChannelDeps): LiveChannel {
  let first = begin
  const events: { name: LiveEventName; data: string }[] = []
  const rows = new Map<string, string>()
  const attempts = new Map<string, AttemptResults>()
  let lastTotals = ''
  const wakes = new Set<() => void>()

  const idsNow = () => directory.list(workspace, { page: 1, page_size: MAX_INSTANCE_SLOTS }).ids
  const wake = () => {
    for (const each of wakes) each()
  }

  function append<N extends LiveEventName>(name: N, data: LiveEvents[N] | string) {
    events.push({ name, data: typeof data === 'string' ? data : JSON.stringify(data) })
    const surplus = events.length - KEPT
    if (surplus > 0) {
      events.splice(0, surplus)
      first += surplus
    }
    wake()
  }

  function rowOf(id: InstanceId): string | undefined {
    try {
      return JSON.stringify(instanceRow({ directory, readings }, id))
    } catch {
      return undefined
    }
  }

  function appendRow(id: InstanceId) {
    const row = rowOf(id)
    if (row === undefined || rows.get(id) === row) return
    rows.set(id, row)
    append('instance', row)
  }

  function appendAttempts(id: string): number {
    const now = readings.of(id)?.attempts
    if (now === undefined) return 0
    const before = attempts.get(id) ?? now
    attempts.set(id, now)
    const hasBegunAnew = ATTEMPT_RESULTS.some((result) => now[result] < before[result])
    const since = Object.fromEntries(
      ATTEMPT_RESULTS.map((result) => [result, now[result] - (hasBegunAnew ? 0 : before[result])]),
    ) as AttemptResults
    if (ATTEMPT_RESULTS.every((result) => since[result] === 0)) return 0
    append('deliveries', { instance_id: id, ...since })
    return since.delivered
  }

  function appendRemoved(left: ReadonlySet<string>) {
    for (const id of rows.keys()) {
      if (left.has(id)) continue
      rows.delete(id)
      attempts.delete(id)
      append('removed', { id })
    }
  }

  return {
    streams: 0,
    first: () => first,
    end: () => first + events.length,
    at: (place) => events[place - first],
    changed(instance) {
      if (rows.has(instance)) appendRow(instance as InstanceId)
    },
    update(seconds) {
      const ids = idsNow()
      appendRemoved(new Set<string>(ids))
      const instances = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>
      let [queue, backlog, delivered] = [0, 0, 0]
      for (const id of ids) {
        appendRow(id)
        delivered += appendAttempts(id)
        queue += readings.of(id)?.waiting ?? 0
        backlog += readings.of(id)?.backlog ?? 0
        instances[directory.state(id).status]++
      }
      const totals = { queue, backlog, instances, deliveries_per_second: Math.round((delivered / seconds) * 10) / 10 }
      const asText = JSON.stringify(totals)
      if (lastTotals === asText) return
      lastTotals = asText
      append('totals', { at: new Date().toISOString(), ...totals })
    },
    *state() {
      const ids = idsNow()
      yield liveEvent('reset', { total: ids.length })
      for (const id of ids) {
        const row = rowOf(id)
        if (row === undefined) continue
        if (!rows.has(id)) rows.set(id, row)
        yield liveEvent('instance', row)
      }
    },
    async news(signal, ms) {
      let own = () => {}
      const woken = new Promise<void>((resolve) => {
        own = resolve
      })
      wakes.add(own)
      signal.addEventListener('abort', own)
      try {
        await orLate(woken, ms, () => {})
      } finally {
        wakes.delete(own)
        signal.removeEventListener('abort', own)
      }
    },
    wake,
  }
}
