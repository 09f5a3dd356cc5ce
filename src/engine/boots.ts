/**
 * Starts instances on their shard threads. Starts per second are limited for each network route (a proxy, or our own
 * address), so that not all sessions open at once.
 */
import type { Clock } from '../domain/clock.ts'
import type { RuntimeState, Status } from '../domain/instance.ts'
import type { Log } from '../domain/log.ts'
import { deferred } from '../lib/deferred.ts'
import type { StartHow } from './engine.ts'
import type { InLine, Placed, Placement } from './placement.ts'
import { respawnDelay } from './restart-timer.ts'
import { createStartGate, type StartGate } from './start-gate.ts'
import { isUnavailable } from './unavailable.ts'

export interface BootsDeps {
  placement: Placement
  /** Returns the key that encrypts the records of an instance. Throws if there is none. */
  keyOf(instance: string): Uint8Array
  startsPerSecond: number
  clock: Clock
  log: Log
}

export interface Boots {
  send(entry: Placed, how: StartHow): Promise<RuntimeState>
  /** Starts an instance when it is its turn. Returns undefined if the start became unnecessary while it waited. */
  boot(entry: Placed, generation: number | undefined): Promise<RuntimeState | undefined>
  close(): void
}

/** Statuses in which the start of an instance opens no session, so the start does not count in the limit. */
const NOT_RUNNING: ReadonlySet<Status> = new Set(['created', 'logged_out', 'banned', 'stopped'])

export const logNotStarted =
  (log: Log, { config, shard }: Placed) =>
  (error: unknown) =>
    log.error({ err: error, instance: config.id, shard: shard.index }, 'the instance could not be started')

export function createBoots({ placement, keyOf, startsPerSecond, clock, log }: BootsDeps): Boots {
  const gates = new Map<string | null, StartGate>()
  let isClosed = false

  function gateOf({ config }: Placed): StartGate {
    const way = config.settings.proxy_url
    const known = gates.get(way)
    if (known) return known
    const gate = createStartGate(startsPerSecond, clock)
    gates.set(way, gate)
    if (isClosed) gate.open()
    return gate
  }

  function enterLine(entry: Placed) {
    entry.inLine?.leave()
    const place = gateOf(entry).enter()
    const left = deferred()
    const inLine: InLine = {
      moveAhead: place.moveAhead,
      left: left.promise,
      leave() {
        if (entry.inLine === inLine) entry.inLine = undefined
        place.leave()
        left.resolve()
      },
    }
    entry.inLine = inLine
    return { admitted: place.admitted, leave: inLine.leave }
  }

  async function send(entry: Placed, how: StartHow): Promise<RuntimeState> {
    entry.generation = entry.shard.generation()
    return (await entry.shard.run({ type: 'start', config: entry.config, how, key: keyOf(entry.config.id) })) as RuntimeState
  }

  async function boot(entry: Placed, generation: number | undefined, failed = 0): Promise<RuntimeState | undefined> {
    const { admitted, leave } = enterLine(entry)
    const giveBack = await admitted
    const isEnding = entry.isDoomed || entry.isStopping
    const isStale = isClosed || isEnding || placement.get(entry.config.id) !== entry || entry.shard.generation() !== generation
    if (isStale || (generation !== undefined && entry.generation === generation)) {
      giveBack()
      leave()
      return undefined
    }
    let state: RuntimeState
    try {
      const sent = send(entry, entry.again)
      // The calls that waited for the start are sent directly after it, before later calls.
      leave()
      state = await sent
    } catch (error) {
      giveBack()
      if (!isUnavailable(error)) bootAgain(entry, generation, failed)
      throw error
    }
    entry.failingSince = undefined
    if (NOT_RUNNING.has(state.status)) giveBack()
    return state
  }

  /**
   * Starts the instance again later, if its shard thread runs but could not start it, for example because the disk was
   * full.
   */
  function bootAgain(entry: Placed, generation: number | undefined, failed: number) {
    entry.generation = undefined
    entry.failingSince ??= clock.now()
    const again = () => boot(entry, generation, failed + 1).catch(logNotStarted(log, entry))
    setTimeout(again, respawnDelay(failed)).unref()
  }

  return {
    send,
    boot,
    close() {
      isClosed = true
      for (const gate of gates.values()) gate.open()
    },
  }
}
