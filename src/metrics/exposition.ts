/** What `GET /metrics` shows: this thread's numbers, those of the shards, what stands now, and the process. */
import type { Clock } from '../domain/clock.ts'
import type { Status } from '../domain/instance.ts'
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
  /** Has every shard asked that answers, within a second; of the others the ledger has what they said last. */
  refresh(): Promise<void>
}

export const createExposition =
  ({ tally, ledger, clock, instances, refresh }: ExpositionDeps) =>
  async (): Promise<string> => {
    await refresh()
    const total = ledger.total()
    const now = measured({ ...total, instances: instances(), now: clock.now() })
    return `${await textOf(sum([tally.numbers(), total.numbers, now]))}\n${await processText()}`
  }
