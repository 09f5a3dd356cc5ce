/**
 * Server-sent events of the instances of a workspace: status changes immediately, queues and deliveries once a second.
 * A reader that reconnects with its last id gets the missed events, or the full state again.
 */
import type { DashboardSession } from '../../account/account.ts'
import type { Directory } from '../../directory/directory.ts'
import { SECOND } from '../../domain/clock.ts'
import type { WorkspaceId } from '../../domain/ids.ts'
import type { DetailedLog } from '../../domain/log.ts'
import type { Readings } from '../../domain/readings.ts'
import type { ServerEvent, ServerEvents } from '../../domain/server-events.ts'
import type { EngineEvent } from '../../engine/engine.ts'
import { createKeyCounts } from '../../lib/key-counts.ts'
import { createLiveChannel, type LiveChannel, liveEvent } from './live-channel.ts'

const LOOK_EVERY = SECOND
/** Milliseconds without an event after which a comment is sent, because proxies close a quiet stream. */
const HEARTBEAT = 15 * SECOND
/** Milliseconds after which the browser reconnects. */
const RETRY = 2 * SECOND
/** Maximum number of streams of one session to this service. */
export const MAX_STREAMS = 20
/** Maximum number of channels without readers that are kept, in case a reader returns. */
const MAX_LEFT = 8

export interface LiveDeps {
  directory: Directory
  readings: Readings
  onEvent(listener: (event: EngineEvent) => void): void
  /** Adds a listener, which is called after a change of an API key. The change may end streams. */
  onKeyChange(listener: () => void): void
  log: DetailedLog
  /**
   * Reads the changes that an operator command wrote to the store: a new admin key ends the streams of the previous
   * key.
   */
  refresh(): Promise<void>
  /** Part of the event ids that distinguishes them from the ids of an earlier process. */
  run: string
}

export type StreamOwner = Pick<DashboardSession, 'id' | 'workspace'>

export interface Live {
  /** Opens a stream of events; undefined if the session has too many streams, or after `stop`. */
  open(session: StreamOwner, lastEventId: string | undefined, isOpen: () => boolean): ServerEvents | undefined
  count(): number
  /** Ends every stream. The last event of a stream states the reason. */
  stop(): void
}

export function createLive({ directory, readings, onEvent, onKeyChange, log, refresh, run }: LiveDeps): Live {
  const channels = createChannels({ directory, readings })
  const streamsOf = createKeyCounts()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false
  let lookedAt = performance.now()

  async function look() {
    await refresh()
    await readings.look(LOOK_EVERY / 2)
    const seconds = Math.max(0.1, (performance.now() - lookedAt) / SECOND)
    lookedAt = performance.now()
    for (const channel of channels.read()) channel.update(seconds)
  }

  function keepLooking() {
    if (timer !== undefined || isStopped) return
    timer = setTimeout(() => {
      look()
        .catch((error) => log.warn({ err: error }, 'dashboard: the state of the instances could not be read'))
        .finally(() => {
          timer = undefined
          if (channels.read().length > 0) keepLooking()
        })
    }, LOOK_EVERY)
  }

  // The directory has already processed the same event, because it subscribed first.
  onEvent((event) => {
    if (event.type === 'state') for (const channel of channels.read()) channel.changed(event.instance)
  })

  onKeyChange(() => channels.wake())

  function enter({ id, workspace }: StreamOwner): LiveChannel {
    streamsOf.add(id)
    return channels.enter(workspace)
  }

  function leave({ id, workspace }: StreamOwner) {
    streamsOf.remove(id)
    channels.leave(workspace)
  }

  const idOf = (place: number) => `${run}-${place}`

  /** Returns the position after the last event of a reader; undefined if not all later events are known and kept. */
  function placeAfter(lastEventId: string | undefined, channel: LiveChannel): number | undefined {
    const [ofRun, place] = (lastEventId ?? '').split(/-(?=\d+$)/)
    const next = Number(place) + 1
    return ofRun === run && next >= channel.first() && next <= channel.end() ? next : undefined
  }

  async function* told(
    channel: LiveChannel,
    lastEventId: string | undefined,
    isOpen: () => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<ServerEvent> {
    // Sets the reconnection time of the browser. It comes first, so that the answer begins before the state is read.
    yield { retryMs: RETRY }
    await readings.look(LOOK_EVERY)
    let place = placeAfter(lastEventId, channel)
    if (place === undefined) {
      // The place is read before the state, so events that are appended while the state is sent are sent after it.
      place = channel.end()
      yield* channel.state()
    }
    yield liveEvent('ready', {}, idOf(place - 1))
    let saidAt = performance.now()
    while (!signal.aborted) {
      if (isStopped) return yield liveEvent('ended', { reason: 'stopping' })
      if (!isOpen()) return yield liveEvent('ended', { reason: 'signed_out' })
      // The reader is too slow, so its stream ends. It reconnects and gets the full state.
      if (place < channel.first()) return
      const next = channel.at(place)
      if (next) {
        yield liveEvent(next.name, next.data, idOf(place))
        place++
      } else if (performance.now() - saidAt < HEARTBEAT) {
        // The wait is at most one second, because the session may have ended in the meantime.
        await channel.news(signal, SECOND)
        continue
      } else yield { comment: 'nothing new' }
      saidAt = performance.now()
    }
  }

  return {
    open(session, lastEventId, isOpen) {
      if (streamsOf.of(session.id) >= MAX_STREAMS || isStopped) return undefined
      const channel = enter(session)
      keepLooking()
      return (signal) => {
        const gone = () => leave(session)
        if (signal.aborted) gone()
        else signal.addEventListener('abort', gone, { once: true })
        return told(channel, lastEventId, isOpen, signal)
      }
    },
    count: () => channels.read().reduce((sum, { streams }) => sum + streams, 0),
    stop() {
      isStopped = true
      clearTimeout(timer)
      channels.wake()
    },
  }
}

function createChannels(deps: Pick<LiveDeps, 'directory' | 'readings'>) {
  /** Channels by workspace. Those without readers are at the front, in the order in which their last reader left. */
  const channels = new Map<WorkspaceId, LiveChannel>()
  /**
   * First position of the next channel. It is above all positions of earlier channels, so a reader of an evicted
   * channel gets the full state.
   */
  let first = 1

  function evict() {
    const left = [...channels].filter(([, { streams }]) => streams === 0)
    for (const [workspace, channel] of left.slice(0, Math.max(0, left.length - MAX_LEFT))) {
      channels.delete(workspace)
      first = Math.max(first, channel.end() + 1)
    }
  }

  return {
    read: () => [...channels.values()].filter(({ streams }) => streams > 0),
    enter(workspace: WorkspaceId): LiveChannel {
      const channel = channels.get(workspace) ?? createLiveChannel({ ...deps, workspace, first })
      channels.set(workspace, channel)
      channel.streams++
      return channel
    },
    leave(workspace: WorkspaceId): void {
      const channel = channels.get(workspace)!
      channel.streams--
      if (channel.streams > 0) return
      channels.delete(workspace)
      channels.set(workspace, channel)
      evict()
    },
    wake(): void {
      for (const channel of channels.values()) channel.wake()
    },
  }
}
