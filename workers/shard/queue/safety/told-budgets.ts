/** Remembers which used-up budgets for new people were reported, so that each is reported once in its time window. */
import * as v from 'valibot'
import type { Op } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import { RecordError, repository } from '../../../../src/storage/repository.ts'
import type { Context } from '../../context/instance-context.ts'
import type { Budget } from './rules.ts'

const ToldBudget = v.object({
  ms: v.number(),
  most: v.number(),
  at: v.number(),
})
type ToldBudget = v.InferOutput<typeof ToldBudget>
const ToldSchema = v.object({ budgets: v.array(ToldBudget) })

export interface ToldBudgets {
  /** Returns the budgets that must be reported now, and the operation for the commit of the event. */
  due(budgets: readonly Budget[], at: number): Promise<{ due: Budget[]; op: Op }>
  forget(): Promise<void>
}

/**
 * Whether a budget was not reported yet with this limit in its time window. A report in the far future was recorded
 * before the clock was set back, and does not count.
 */
const isDue = ({ ms, most }: Budget, told: readonly ToldBudget[], at: number): boolean =>
  !told.some((each) => each.ms === ms && each.most === most && Math.abs(at - each.at) < ms)

export function createToldBudgets({ id, store, sealer, log }: Context<'id' | 'store' | 'sealer' | 'log'>): ToldBudgets {
  const records = repository({ name: 'told budgets', schema: ToldSchema, version: 1, sealed: sealer })
  const key = keys.toldBudgets(id)

  /** An unreadable record counts as empty: it is better to report a budget twice than never. */
  async function read(): Promise<readonly ToldBudget[]> {
    try {
      return (await records.get(store, key))?.budgets ?? []
    } catch (error) {
      if (!(error instanceof RecordError)) throw error
      log.error({ err: error }, 'the record of the reported budgets could not be decoded')
      return []
    }
  }

  return {
    async due(budgets, at) {
      const told = await read()
      const due = budgets.filter((budget) => isDue(budget, told, at))
      const others = told.filter(({ ms }) => !due.some((budget) => budget.ms === ms))
      return { due, op: records.encode(key, { budgets: [...others, ...due.map(({ ms, most }) => ({ ms, most, at }))] }) }
    },
    forget: async () => void (await store.commit({ ops: [[key, null]] })),
  }
}
