/** Answer of `GET /metrics`: counters of this thread and of the shards, current values, and values of the process. */
import type { Clock } from '../domain/clock.ts'
import type { Status } from '../domain/instance.ts'
import type { StreamReader } from '../domain/server-events.ts'
import type { Ledger } from './ledger.ts'
import { measured } from './measured.ts'
import { processText } from './process.ts'
import { sum, type Tally } from './tally.ts'
import { textOf } from './text.ts'

export interface ExpositionDeps {
  tally: Tally
  ledger: Ledger
  clock: Clock
  instances(): Readonly<Record<Status, number>>
  streams(): Readonly<Record<StreamReader, number>>
  /** Requests the reports of the shards, and waits at most a second. If a shard does not answer, the ledger keeps its last report. */
  refresh(): Promise<void>
}

export const createExposition =
  ({ tally, ledger, clock, instances, streams, refresh }: ExpositionDeps) =>
  async (): Promise<string> => {
    await refresh()
    const total = ledger.total()
    const now = measured({ ...total, instances: instances(), streams: streams(), now: clock.now() })
    return `${await textOf(sum([tally.numbers(), total.numbers, now]))}\n${await processText()}`
  }
