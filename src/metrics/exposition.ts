import type { Clock } from '../domain/clock.ts'
import type { Status } from '../domain/instance.ts'
import type { StreamReader } from '../domain/server-events.ts'
import type { Ledger } from './ledger.ts'
import { type Measured, measured } from './measured.ts'
import { processText } from './process.ts'
import { sum, type Tally } from './tally.ts'
import { textOf, withZeros } from './text.ts'

export interface ExpositionDeps {
  tally: Tally
  ledger: Ledger
  clock: Clock
  instances(): Readonly<Record<Status, number>>
  notStarted(): number
  streams(): Readonly<Record<StreamReader, number>>
  nodes(): Measured['nodes']
  homes(): Measured['homes']
  isPair: boolean
  /**
   * Updates the reports of the shard threads, and waits at most a second. If a thread does not answer, its last report
   * is used.
   */
  refresh(): Promise<void>
}

export const createExposition =
  ({ tally, ledger, clock, instances, notStarted, streams, nodes, homes, isPair, refresh }: ExpositionDeps) =>
  async (): Promise<string> => {
    await refresh()
    const total = ledger.total()
    const now = measured({
      ...total,
      instances: instances(),
      notStarted: notStarted(),
      streams: streams(),
      nodes: nodes(),
      homes: homes(),
      isPair,
      now: clock.now(),
    })
    return `${await textOf(withZeros(sum([tally.numbers(), total.numbers, now])))}\n${await processText()}`
  }
