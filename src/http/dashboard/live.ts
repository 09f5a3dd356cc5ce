/**
 * Events of the instances of a workspace as a stream of server-sent events: status changes immediately, queues and deliveries once a second while
 * somebody reads. Events have ids. A reader that reconnects with its last id gets the missed events, or the full state again.
 *
 * Nothing is buffered for a reader (`http/event-stream.ts`): each stream has a position in one bounded list of events that all share, and takes the
 * next event when it can. A stream whose position has been evicted is ended, and its reader begins again.
 */
import type { DashboardSession } from '../../account/account.ts'
import type { Directory } from '../../directory/directory.ts'
import { SECOND } from '../../domain/clock.ts'
import type { LiveEventName, LiveEvents } from '../../domain/dashboard.ts'
import type { InstanceId, WorkspaceId } from '../../domain/ids.ts'
import { STATUSES, type Status } from '../../domain/instance.ts'
import type { DetailedLog } from '../../domain/log.ts'
import { ATTEMPT_RESULTS, type AttemptResults, type Readings } from '../../domain/readings.ts'
import type { ServerEvent, ServerEvents } from '../../domain/server-events.ts'
import { MAX_INSTANCE_SLOTS } from '../../domain/workspace.ts'
import type { EngineEvent } from '../../engine/engine.ts'
import { instanceRow } from '../../features/dashboard.ts'
import { orLate } from '../../lib/deadline.ts'

/** Number of events of one workspace that are kept for disconnected readers. */
const KEPT = 4_096
const LOOK_EVERY = SECOND
/** A comment at this interval prevents proxies from closing a quiet stream. */
const HEARTBEAT = 15 * SECOND
/** Time in ms after which the browser reconnects. */
const RETRY = 2 * SECOND
/**
 * Limit of streams per session, so that the tabs of one person do not use up the limit of others. The number of sessions of a workspace is limited
 * too (`account/dashboard-sessions.ts`).
 */
export const MAX_STREAMS = 20
/** Number of channels without readers that are kept for a returning reader; the one without readers for longest is evicted first. */
const MAX_LEFT = 8

export interface LiveDeps {
  directory: Directory
  readings: Readings
  onEvent(listener: (event: EngineEvent) => void): void
  log: DetailedLog
  /** Reads what an operator command wrote to the store: a new admin key ends the streams of the previous one. */
  refresh(): Promise<void>
  /** Distinguishes ids of this process from those of an earlier one. */
  run: string
}

export type StreamOwner = Pick<DashboardSession, 'id' | 'workspace'>

export interface Live {
  /** Undefined if the session has too many streams. `isOpen` is polled; the stream ends when it returns false. */
  open(session: StreamOwner, lastEventId: string | undefined, isOpen: () => boolean): ServerEvents | undefined
  /** Number of open streams. */
  count(): number
  /** Ends every stream after a last event. */
  stop(): void
}

/** The list of events of one workspace, and the rows that were sent last. */
interface Channel {
  /** Position of the first kept event. */
  first: number
  events: { name: LiveEventName; data: string }[]
  rows: Map<string, string>
  attempts: Map<string, AttemptResults>
  totals: string
  streams: number
  wake: Set<() => void>
}

const named = <N extends LiveEventName>(event: N, data: LiveEvents[N] | string, id?: string): ServerEvent => ({
  event,
  data: typeof data === 'string' ? data : JSON.stringify(data),
  ...(id === undefined ? {} : { id }),
})

export function createLive({ directory, readings, onEvent, log, refresh, run }: LiveDeps): Live {
  /** Channels without readers, in the order in which the last reader left. */
  const channels = new Map<WorkspaceId, Channel>()
  /** Number of streams by session id. */
  const streamsOf = new Map<string, number>()
  /** Positions increase across all channels, so a position of an evicted channel lies before the first one of the next channel. */
  let firstPlace = 1
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false

  const idsOf = (workspace: WorkspaceId) => directory.list(workspace, { page: 1, page_size: MAX_INSTANCE_SLOTS }).ids
  const end = (channel: Channel) => channel.first + channel.events.length

  function say<N extends LiveEventName>(channel: Channel, name: N, data: LiveEvents[N] | string) {
    channel.events.push({ name, data: typeof data === 'string' ? data : JSON.stringify(data) })
    const surplus = channel.events.length - KEPT
    if (surplus > 0) {
      channel.events.splice(0, surplus)
      channel.first += surplus
    }
    for (const wake of channel.wake) wake()
  }

  /** Undefined if the instance was deleted. */
  function rowOf(id: InstanceId): string | undefined {
    try {
      return JSON.stringify(instanceRow({ directory, readings }, id))
    } catch {
      return undefined
    }
  }

  function sayRow(channel: Channel, id: InstanceId) {
    const row = rowOf(id)
    if (row === undefined || channel.rows.get(id) === row) return
    channel.rows.set(id, row)
    say(channel, 'instance', row)
  }

  /** Number of attempts since the last reading, or since the start of the instance if that is later. */
  function sayAttempts(channel: Channel, id: string): number {
    const now = readings.of(id)?.attempts
    if (now === undefined) return 0
    const before = channel.attempts.get(id) ?? now
    channel.attempts.set(id, now)
    const hasBegunAnew = ATTEMPT_RESULTS.some((result) => now[result] < before[result])
    const since = Object.fromEntries(
      ATTEMPT_RESULTS.map((result) => [result, now[result] - (hasBegunAnew ? 0 : before[result])]),
    ) as AttemptResults
    if (ATTEMPT_RESULTS.every((result) => since[result] === 0)) return 0
    say(channel, 'deliveries', { instance_id: id, ...since })
    return since.delivered
  }

  function sayAll(workspace: WorkspaceId, channel: Channel, seconds: number) {
    const ids = idsOf(workspace)
    const known = new Set<string>(ids)
    for (const id of channel.rows.keys()) {
      if (known.has(id)) continue
      channel.rows.delete(id)
      channel.attempts.delete(id)
      say(channel, 'removed', { id })
    }
    const instances = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>
    let [queue, backlog, delivered] = [0, 0, 0]
    for (const id of ids) {
      sayRow(channel, id)
      delivered += sayAttempts(channel, id)
      queue += readings.of(id)?.waiting ?? 0
      backlog += readings.of(id)?.backlog ?? 0
      instances[directory.state(id).status]++
    }
    const totals = { queue, backlog, instances, deliveries_per_second: Math.round((delivered / seconds) * 10) / 10 }
    const asText = JSON.stringify(totals)
    if (channel.totals === asText) return
    channel.totals = asText
    say(channel, 'totals', { at: new Date().toISOString(), ...totals })
  }

  let lookedAt = performance.now()

  async function look() {
    await refresh()
    await readings.look(LOOK_EVERY / 2)
    const seconds = Math.max(0.1, (performance.now() - lookedAt) / SECOND)
    lookedAt = performance.now()
    for (const [workspace, channel] of channels) if (channel.streams > 0) sayAll(workspace, channel, seconds)
  }

  /** Takes readings only while somebody reads the stream. */
  function keepLooking() {
    if (timer !== undefined || isStopped) return
    timer = setTimeout(() => {
      look()
        .catch((error) => log.warn({ err: error }, 'dashboard: the state of the instances could not be read'))
        .finally(() => {
          timer = undefined
          if ([...channels.values()].some(({ streams }) => streams > 0)) keepLooking()
        })
    }, LOOK_EVERY)
  }

  // The directory has already processed the same event, because it subscribed first.
  onEvent((event) => {
    if (event.type !== 'state') return
    for (const channel of channels.values())
      if (channel.streams > 0 && channel.rows.has(event.instance)) sayRow(channel, event.instance as InstanceId)
  })

  function channelOf(workspace: WorkspaceId): Channel {
    const known = channels.get(workspace)
    if (known) return known
    const made: Channel = {
      first: firstPlace,
      events: [],
      rows: new Map(),
      attempts: new Map(),
      totals: '',
      streams: 0,
      wake: new Set(),
    }
    channels.set(workspace, made)
    return made
  }

  function enter({ id, workspace }: StreamOwner): Channel {
    streamsOf.set(id, (streamsOf.get(id) ?? 0) + 1)
    const channel = channelOf(workspace)
    channel.streams++
    return channel
  }

  function leave({ id, workspace }: StreamOwner, channel: Channel) {
    const others = streamsOf.get(id)! - 1
    if (others === 0) streamsOf.delete(id)
    else streamsOf.set(id, others)
    channel.streams--
    if (channel.streams > 0) return
    channels.delete(workspace)
    channels.set(workspace, channel)
    const left = [...channels].filter(([, { streams }]) => streams === 0)
    for (const [each, forgotten] of left.slice(0, Math.max(0, left.length - MAX_LEFT))) {
      channels.delete(each)
      firstPlace = Math.max(firstPlace, end(forgotten) + 1)
    }
  }

  const idOf = (place: number) => `${run}-${place}`

  /** Position after the last event of a reader; undefined if that event is no longer kept. */
  function placeAfter(lastEventId: string | undefined, channel: Channel): number | undefined {
    const [ofRun, place] = (lastEventId ?? '').split(/-(?=\d+$)/)
    const next = Number(place) + 1
    return ofRun === run && next >= channel.first && next <= end(channel) ? next : undefined
  }

  /** The full state at `place`; later events follow. */
  async function* beginning(workspace: WorkspaceId, channel: Channel, place: number): AsyncGenerator<ServerEvent> {
    const ids = idsOf(workspace)
    yield named('reset', { total: ids.length })
    for (const id of ids) {
      const row = rowOf(id)
      if (row === undefined) continue
      if (!channel.rows.has(id)) channel.rows.set(id, row)
      yield named('instance', row)
    }
    yield named('ready', {}, idOf(place - 1))
  }

  async function* told(
    workspace: WorkspaceId,
    channel: Channel,
    lastEventId: string | undefined,
    isOpen: () => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<ServerEvent> {
    // Sets the reconnection time of the browser, and sends a first byte.
    yield { retryMs: RETRY }
    await readings.look(LOOK_EVERY)
    let place = placeAfter(lastEventId, channel)
    if (place === undefined) {
      place = end(channel)
      yield* beginning(workspace, channel, place)
    } else yield named('ready', {}, idOf(place - 1))
    let saidAt = performance.now()
    while (!signal.aborted) {
      if (isStopped) return yield named('ended', { reason: 'stopping' })
      if (!isOpen()) return yield named('ended', { reason: 'signed_out' })
      // The reader is too slow, and its position was evicted. It reconnects and begins again.
      if (place < channel.first) return
      const next = channel.events[place - channel.first]
      if (next) {
        yield named(next.name, next.data, idOf(place))
        place++
      } else if (performance.now() - saidAt < HEARTBEAT) {
        await news(channel, signal)
        continue
      } else yield { comment: 'nothing new' }
      saidAt = performance.now()
    }
  }

  /** Resolves on a new event, when the reader has left, and after one second, because the reader may have been signed out. */
  async function news(channel: Channel, signal: AbortSignal): Promise<void> {
    let wake = () => {}
    const woken = new Promise<void>((resolve) => {
      wake = resolve
    })
    channel.wake.add(wake)
    signal.addEventListener('abort', wake)
    try {
      await orLate(woken, SECOND, () => {})
    } finally {
      channel.wake.delete(wake)
      signal.removeEventListener('abort', wake)
    }
  }

  const count = () => [...channels.values()].reduce((sum, { streams }) => sum + streams, 0)

  return {
    open(session, lastEventId, isOpen) {
      if ((streamsOf.get(session.id) ?? 0) >= MAX_STREAMS || isStopped) return undefined
      const channel = enter(session)
      keepLooking()
      return (signal) => {
        const gone = () => leave(session, channel)
        if (signal.aborted) gone()
        else signal.addEventListener('abort', gone, { once: true })
        return told(session.workspace, channel, lastEventId, isOpen, signal)
      }
    },
    count,
    stop() {
      isStopped = true
      clearTimeout(timer)
      for (const { wake } of channels.values()) for (const each of wake) each()
    },
  }
}
