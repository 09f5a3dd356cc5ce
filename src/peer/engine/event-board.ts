/** The events of this service's instances, for other services that read them: first all states, then the changes. */
import type { ServerResponse } from 'node:http'
import { SECOND } from '../../domain/clock.ts'
import type { RuntimeState } from '../../domain/instance.ts'
import type { LimitUse } from '../../domain/limit-share.ts'
import type { SendEnd } from '../../domain/send-outcome.ts'
import type { EngineEvent } from '../../engine/engine.ts'
import { type EventLine, textOf } from './event-line.ts'

export interface EventBoard {
  take(event: EngineEvent): void
  /** Takes the state that a start has returned. It counts only if no event has reported a state of the instance. */
  started(instance: string, state: RuntimeState): void
  /** Must be called when the instance no longer runs in this service. Returns its last state, if there was one. */
  remove(instance: string): RuntimeState | undefined
  /** Writes lines to the answer until it is closed. `after` is the number of the last outcome that its reader has. */
  stream(outgoing: ServerResponse, after: number | undefined): void
  /**
   * Tells the readers what this service has allowed of common limits. A reader that accepts no data at the moment is
   * left out.
   */
  use(uses: readonly LimitUse[]): void
  /** Writes to each stream the events that wait for it, and ends it. */
  close(): void
}

/**
 * Minimum number of outcomes that are kept for readers that connect again. It is higher than the number that may wait
 * for one reader.
 */
const KEPT_OUTCOMES = 8_192
/** Maximum number of outcomes that wait for one reader. With more, the reader is disconnected. */
const MOST_PENDING = 4_096
/** Interval in ms of a line without content (`{}`), so that readers notice the loss of this service. */
const ALIVE_EVERY = SECOND
/** Maximum number of intervals for which a reader may accept no data before it is disconnected. */
const MOST_BLOCKED = 10

interface Pending {
  states: Map<string, RuntimeState>
  gone: Set<string>
  events: Set<string>
  files: Set<string>
  outcomes: [string, SendEnd][]
}

const nothing = (): Pending => ({ states: new Map(), gone: new Set(), events: new Set(), files: new Set(), outcomes: [] })

export function createEventBoard(): EventBoard {
  const states = new Map<string, RuntimeState>()
  let outcomes: { number: number; outcome: [string, SendEnd] }[] = []
  let last = 0
  const readers = new Set<ReturnType<typeof readerTo>>()

  /**
   * Returns the kept outcomes after this number. A new reader gets all of them, because it may have sent messages
   * before it could read.
   */
  const missed = (after = 0) => outcomes.flatMap(({ number, outcome }) => (number > after ? [outcome] : []))

  const board: EventBoard = {
    take(event) {
      if (event.type === 'state') states.set(event.instance, event.state)
      if (event.type === 'outcome') {
        last++
        outcomes.push({ number: last, outcome: [event.svcId, event.outcome] })
        if (outcomes.length >= 2 * KEPT_OUTCOMES) outcomes = outcomes.slice(-KEPT_OUTCOMES)
      }
      for (const reader of readers) reader.add(event)
    },
    started(instance, state) {
      if (!states.has(instance)) board.take({ type: 'state', instance, state })
    },
    remove(instance) {
      const last = states.get(instance)
      states.delete(instance)
      for (const reader of readers) reader.remove(instance)
      return last
    },
    stream(outgoing, after) {
      const reader = readerTo(outgoing, () => last)
      readers.add(reader)
      outgoing.once('close', () => {
        reader.end()
        readers.delete(reader)
      })
      reader.write({ isFirst: true, states: [...states], outcomes: missed(after), last })
    },
    use(uses) {
      if (uses.length > 0) for (const reader of readers) reader.use(uses)
    },
    close() {
      for (const reader of readers) reader.end()
    },
  }
  return board
}

/**
 * Writes events to one reader. While the connection takes nothing, up to `MOST_PENDING` outcomes are kept, and the
 * latest state of each instance.
 */
function readerTo(outgoing: ServerResponse, last: () => number) {
  let pending = nothing()
  let isDue = false
  let isBlocked = false
  let hasEnded = false
  let blockedFor = 0
  const alive = setInterval(() => {
    blockedFor = isBlocked ? blockedFor + 1 : 0
    if (blockedFor > MOST_BLOCKED) outgoing.destroy()
    else if (!isBlocked) write({})
  }, ALIVE_EVERY)

  function write(line: EventLine) {
    if (hasEnded) return
    isBlocked = !outgoing.write(`${textOf(line)}\n`)
  }
  outgoing.on('drain', () => {
    isBlocked = false
    flush()
  })

  function flush() {
    if (isBlocked || !isDue) return
    isDue = false
    const { states, gone, events, files, outcomes } = pending
    pending = nothing()
    write({ states: [...states], gone: [...gone], events: [...events], files: [...files], outcomes, last: last() })
  }

  function due() {
    if (pending.outcomes.length > MOST_PENDING) return void outgoing.destroy()
    if (isDue) return
    isDue = true
    setImmediate(flush)
  }

  return {
    write,
    add(event: EngineEvent) {
      if (event.type === 'state') {
        pending.states.set(event.instance, event.state)
        pending.gone.delete(event.instance)
      } else if (event.type === 'outcome') pending.outcomes.push([event.svcId, event.outcome])
      else pending[event.type].add(event.instance)
      due()
    },
    use(uses: readonly LimitUse[]) {
      if (!isBlocked) write({ uses: uses.map(([owner, count]) => [owner, count]) })
    },
    remove(instance: string) {
      pending.states.delete(instance)
      pending.gone.add(instance)
      due()
    },
    end() {
      if (hasEnded) return
      isBlocked = false
      flush()
      hasEnded = true
      clearInterval(alive)
      outgoing.end()
    },
  }
}
