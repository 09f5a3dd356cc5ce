import { randomUUID } from 'node:crypto'
import type { StanzaMatch } from './match.ts'
import type { Trace, TraceLine } from './trace.ts'

/** Maximum number of expectations that are kept. If there are more, the oldest one is dropped. */
const MAX_WAITING = 256

export interface Expectations {
  begin(match: StanzaMatch, count: number): { id: string }
  read(id: string, waitMs: number): Promise<{ complete: boolean; items: TraceLine[] }> | undefined
  clear(): void
}

interface Expectation {
  items: TraceLine[]
  count: number
  stop(): void
  wake: Set<() => void>
}

export function createExpectations(trace: Trace): Expectations {
  const known = new Map<string, Expectation>()

  function forget(id: string) {
    const expectation = known.get(id)
    if (!expectation) return
    known.delete(id)
    expectation.stop()
    for (const wake of expectation.wake) wake()
  }

  async function read(id: string, expectation: Expectation, waitMs: number) {
    const isComplete = () => expectation.items.length >= expectation.count
    if (!isComplete() && waitMs > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, waitMs)
        function done() {
          clearTimeout(timer)
          expectation.wake.delete(done)
          resolve()
        }
        expectation.wake.add(done)
      })
    }
    if (isComplete()) forget(id)
    return { complete: isComplete(), items: [...expectation.items] }
  }

  return {
    begin(match, count) {
      const id = randomUUID()
      const expectation: Expectation = { items: [], count, stop: () => undefined, wake: new Set() }
      expectation.stop = trace.watch({
        match,
        take(line) {
          expectation.items.push(line)
          if (expectation.items.length < count) return
          expectation.stop()
          for (const wake of expectation.wake) wake()
        },
      })
      known.set(id, expectation)
      for (const oldest of known.keys()) {
        if (known.size <= MAX_WAITING) break
        forget(oldest)
      }
      return { id }
    },
    read(id, waitMs) {
      const expectation = known.get(id)
      return expectation && read(id, expectation, waitMs)
    },
    clear() {
      for (const id of [...known.keys()]) forget(id)
    },
  }
}
