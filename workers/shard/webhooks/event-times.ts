/**
 * Determines the time of an event. Within a chat, receivers drop an event that is older than the newest one they have.
 * The times come from two clocks: the network gives whole seconds, this service milliseconds. So the time of an event
 * is its own time, or one ms after the previous event of the chat if that is later. The last time of a chat is written
 * in the commit of the event, so that times do not go back after a restart.
 */
import { type Clock, DAY } from '../../../src/domain/clock.ts'
import type { WebhookEvent } from '../../../src/features/webhook-payloads.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import type { Sealer } from '../../../src/storage/sealer.ts'

/**
 * Maximum number of chat identifiers in memory; a 1:1 chat may have two. For all chats that were evicted, only one
 * time is kept: the latest of their last events.
 */
const MAX_NAMES = 10_000
/**
 * Maximum time in ms by which an event's own time may be ahead of the clock. A later time is reduced, because all later
 * events of the chat would be ahead, too.
 */
const MOST_AHEAD = DAY

export interface EventTimes {
  load(): Promise<void>
  /** Returns the time for the event in epoch ms, and the operations to commit with the event. */
  next(event: WebhookEvent): { at: number; ops: Op[] }
  /** Returns by how many ms the latest time of a chat is ahead of the clock; 0 if this is at most a day. */
  ahead(): number
}

export interface EventTimesDeps {
  instanceId: string
  store: StateStore
  sealer: Pick<Sealer, 'blind'>
  clock: Clock
  maxNames?: number
}

/**
 * Returns the identifiers of an event's chat. Empty for an event of the account itself, because its time is not
 * compared with the times of other events.
 */
function namesOf(event: WebhookEvent): string[] {
  switch (event.type) {
    case 'instance_status':
      return []
    case 'delivery':
      return [event.body.phone]
    default:
      return [event.body.phone, event.body.chat_lid].filter((name) => name !== null)
  }
}

export function createEventTimes({ instanceId, store, sealer, clock, maxNames = MAX_NAMES }: EventTimesDeps): EventTimes {
  /** The time of the last event of each chat, by the hash of the chat's identifier, oldest first. */
  const last = new Map<string, number>()
  let floor = 0
  let latest = 0

  const rowKey = (name: string) => keys.momment(instanceId, name)
  const bytesOf = (at: number) => Buffer.from(String(at))

  function remember(name: string, at: number): Op {
    latest = Math.max(latest, at)
    last.delete(name)
    last.set(name, at)
    return [rowKey(name), bytesOf(at)]
  }

  function forgetSilent(ops: Op[]): void {
    if (last.size <= maxNames) return
    for (const [name, at] of last) {
      if (last.size <= maxNames) break
      last.delete(name)
      floor = Math.max(floor, at)
      ops.push([rowKey(name), null])
    }
    ops.push([keys.mommentFloor(instanceId), bytesOf(floor)])
  }

  return {
    async load() {
      const prefix = keys.times(instanceId)
      const found: [name: string, at: number][] = []
      for await (const [key, value] of store.range(prefix)) found.push([key.slice(prefix.length), Number(Buffer.from(value))])
      found.sort(([, one], [, other]) => one - other)
      for (const [name, at] of found) last.set(name, at)
      floor = Number(Buffer.from((await store.get(keys.mommentFloor(instanceId))) ?? '0'))
      latest = Math.max(floor, found.at(-1)?.[1] ?? 0)
    },
    ahead() {
      const ms = latest - clock.now()
      return ms > MOST_AHEAD ? ms : 0
    },
    next(event) {
      const time = Math.trunc(Math.min(event.at, clock.now() + MOST_AHEAD))
      const names = namesOf(event).map((name) => sealer.blind(name))
      if (names.length === 0) return { at: time, ops: [] }
      let at = time
      for (const name of names) at = Math.max(at, (last.get(name) ?? floor) + 1)
      const ops: Op[] = []
      for (const [index, name] of names.entries()) if (names.indexOf(name) === index) ops.push(remember(name, at))
      forgetSilent(ops)
      return { at, ops }
    },
  }
}
