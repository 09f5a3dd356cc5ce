/**
 * Determines the time of an event. Receivers drop events that are older than the newest one they have. The times come from two clocks: the network
 * gives whole seconds, this service milliseconds. So within a chat, the time of an event is its own time, or one ms after the previous event of the
 * chat if that is later. The chat is found by the identifiers in the body of the event; a 1:1 chat may have a number and a LID.
 *
 * Times do not go back after a restart, because the time of an event is in its row of the log, which is in the commit of the event. The times of the
 * chats are written together with a later event, since each of them is in another page of the store. A start reads the times of the chats, and then
 * the rows of the events that the stored times do not include.
 */
import type { Logger } from 'pino'
import { type Clock, DAY } from '../../../src/domain/clock.ts'
import type { WebhookEvent } from '../../../src/features/webhook-payloads.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import type { Sealer } from '../../../src/storage/sealer.ts'
import type { LogRow } from '../../../src/webhooks/log.ts'
import type { EventRows } from './event-rows.ts'
import { bytesOf, createUnwrittenTimes } from './unwritten-times.ts'

/** The most names of chats in memory, two per person. All evicted chats share one last time. */
const MAX_NAMES = 10_000
/**
 * The most rows of the log that a start reads. The stored times lack fewer rows than this, except after a return to an
 * older version, which wrote the times immediately.
 */
const MAX_READ = 512
/**
 * A time that is further ahead of the clock is reduced, because all later events of its chat would get an even later
 * one.
 */
const MOST_AHEAD = DAY

export interface EventTimes {
  load(): Promise<void>
  /**
   * Returns the time for the event in epoch ms, and the operations to commit with the event. `told` is the part of its row in the log. `hasRow`: the
   * event has such a row; without it, its time is written immediately.
   */
  next(event: WebhookEvent, eventId: string, hasRow: boolean): { at: number; told?: LogRow['told']; ops: Op[] }
  /** Called after the commit of the event. */
  committed(eventId: string): void
  /**
   * Returns by how many ms the latest time of a chat is ahead of the clock, if this is more than normal; otherwise 0.
   * The times of a chat never go back, because receivers would drop the events.
   */
  ahead(): number
}

export interface EventTimesDeps {
  instanceId: string
  store: StateStore
  sealer: Pick<Sealer, 'blind'>
  clock: Clock
  /** Monotonic clock. */
  steady: Clock
  rows: Pick<EventRows, 'decode'>
  log: Pick<Logger, 'error'>
  maxNames?: number
}

interface Chat {
  phone: string
  lid: string | null
}

/** Returns the chat of an event; null for an event of the account itself, because its time is not compared with the times of other events. */
function chatOf(event: WebhookEvent): Chat | null {
  switch (event.type) {
    case 'instance_status':
      return null
    case 'delivery':
      return { phone: event.body.phone, lid: null }
    default:
      return { phone: event.body.phone, lid: event.body.chat_lid }
  }
}

export function createEventTimes(deps: EventTimesDeps): EventTimes {
  const { instanceId, store, sealer, clock, steady, rows, log, maxNames = MAX_NAMES } = deps
  /** The time of the last event of each chat, by the hash of its name, oldest first. */
  const last = new Map<string, number>()
  let floor = 0
  let latest = 0
  const unwritten = createUnwrittenTimes({ instanceId, steady })

  const namesOf = ({ phone, lid }: Chat) => [...new Set(lid === null ? [phone] : [phone, lid])].map((name) => sealer.blind(name))

  function remember(name: string, at: number) {
    latest = Math.max(latest, at)
    last.delete(name)
    last.set(name, at)
  }

  function forgetSilent(): Op[] {
    const ops: Op[] = []
    for (const [name, at] of last) {
      if (last.size <= maxNames) break
      last.delete(name)
      unwritten.evicted(name)
      floor = Math.max(floor, at)
      ops.push([keys.momment(instanceId, name), null])
    }
    return ops.length === 0 ? [] : [...ops, [keys.mommentFloor(instanceId), bytesOf(floor)]]
  }

  async function stored(): Promise<Map<string, number>> {
    const prefix = keys.times(instanceId)
    const found = new Map<string, number>()
    for await (const [key, value] of store.range(prefix)) found.set(key.slice(prefix.length), Number(Buffer.from(value)))
    return found
  }

  /** Yields the names and times in the rows of events that the stored times do not include. */
  async function* logged(): AsyncGenerator<[name: string, at: number]> {
    const upTo = Buffer.from((await store.get(keys.mommentsUpTo(instanceId))) ?? []).toString()
    const prefix = keys.log(instanceId)
    for await (const [key, bytes] of store.range(prefix, { reverse: true, limit: MAX_READ })) {
      const eventId = key.slice(prefix.length)
      if (eventId <= upTo) return
      let row: LogRow
      try {
        row = rows.decode(eventId, bytes)
      } catch (err) {
        log.error(
          { instance_id: instanceId, event_id: eventId, err },
          'the time of an event is damaged on disk and cannot be read',
        )
        continue
      }
      const [phone] = row.about ?? []
      if (!phone || !row.told) continue
      const [at, lid] = row.told
      for (const name of namesOf({ phone, lid })) yield [name, at]
    }
  }

  return {
    async load() {
      const found = await stored()
      for await (const [name, at] of logged()) {
        if (at <= (found.get(name) ?? 0)) continue
        found.set(name, at)
        unwritten.changed(name, at)
      }
      for (const [name, at] of [...found].sort(([, one], [, other]) => one - other)) remember(name, at)
      floor = Number(Buffer.from((await store.get(keys.mommentFloor(instanceId))) ?? '0'))
      latest = Math.max(floor, latest)
    },
    ahead() {
      const ms = latest - clock.now()
      return ms > MOST_AHEAD ? ms : 0
    },
    next(event, eventId, hasRow) {
      const time = Math.trunc(Math.min(event.at, clock.now() + MOST_AHEAD))
      const chat = chatOf(event)
      if (chat === null) return { at: time, ops: [] }
      const names = namesOf(chat)
      const before = Math.max(...names.map((name) => last.get(name) ?? floor))
      const at = Math.max(time, before + 1)
      for (const name of names) {
        remember(name, at)
        unwritten.changed(name, at)
      }
      const ops = hasRow ? unwritten.take(eventId) : names.map((name): Op => [keys.momment(instanceId, name), bytesOf(at)])
      return { at, told: [at, chat.lid], ops: [...ops, ...forgetSilent()] }
    },
    committed: unwritten.committed,
  }
}
