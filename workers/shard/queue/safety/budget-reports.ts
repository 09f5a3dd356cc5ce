import { type Clock, DAY, HOUR, iso } from '../../../../src/domain/clock.ts'
import type { InstanceSettings } from '../../../../src/domain/instance.ts'
import { hasBudget } from '../../../../src/domain/send-safety.ts'
import type { Steps } from '../../../../src/domain/steps.ts'
import type { Queue, SendResult } from '../contract.ts'
import type { FirstContacts } from './first-contacts.ts'
import type { createRecipients } from './recipients.ts'
import { type Budget, budgetsOf, type Moment } from './rules.ts'
import type { ToldBudgets } from './told-budgets.ts'

export interface BudgetReading {
  most: number
  used: number
  /** Time in epoch ms at which a message to a new person is possible again; null if it is possible now, or never. */
  freeAt: number | null
}

export interface BudgetReadings {
  hour: BudgetReading | null
  day: BudgetReading | null
  linkedAt: number | null
}

export interface BudgetReportsDeps {
  clock: Clock
  steady: Clock
  settings(): InstanceSettings
  /** Time at which the device was linked, in epoch ms; null if unknown. */
  linkedAt(): number | null
  told: ToldBudgets
  /** Whether a webhook or stream wants `delivery` events, which report used-up budgets. */
  isTold(): boolean
  onUntold(error: unknown): void
  steps: Steps
}

export function createBudgetReports(
  { clock, steady, settings, linkedAt, told, isTold, onUntold, steps }: BudgetReportsDeps,
  contacts: Pick<FirstContacts, 'load' | 'times'>,
  recipients: Pick<ReturnType<typeof createRecipients>, 'settled'>,
) {
  const moment = () => ({ at: clock.now(), steady: steady.now() })
  const budgetsAt = (now: Moment) => budgetsOf(settings(), { contacts: contacts.times(), linkedAt: linkedAt() }, now)

  async function usedUpResult(result: SendResult, queue: Pick<Queue, 'waitingFor'>): Promise<SendResult> {
    await contacts.load()
    const now = moment()
    const spent = budgetsAt(now).filter(({ used, freeAt }) => used > 0 && freeAt !== undefined)
    if (spent.length === 0) return result
    const { due, op } = await told.due(spent, now.at)
    if (due.length === 0) return result
    const waitingNow = () => queue.waitingFor(['first_contact_budget']).first_contact_budget
    // The first count starts the look-ups of all recipients. An item is counted only after its look-up, so the items
    // are counted again after all look-ups.
    waitingNow()
    await recipients.settled()
    const waiting = waitingNow()
    await steps('safety:told')
    return {
      ...result,
      usedUpBudgets: due.map((budget) => usedUp(budget, waiting, now)),
      commit: () => [...result.commit(), op],
    }
  }

  return {
    async withUsedUp(result: SendResult, queue: Pick<Queue, 'waitingFor'>): Promise<SendResult> {
      if (!hasBudget(settings()) || !isTold()) return result
      try {
        return await usedUpResult(result, queue)
      } catch (error) {
        // The message was sent, so a failure of this report must not change its result.
        onUntold(error)
        return result
      }
    },
    async reading(): Promise<BudgetReadings> {
      await contacts.load()
      const now = moment()
      const used = budgetsAt(now)
      return { hour: readingOf(used, HOUR, now), day: readingOf(used, DAY, now), linkedAt: linkedAt() }
    },
  }
}

const usedUp = ({ ms, most, used, freeAt = Number.POSITIVE_INFINITY }: Budget, waiting: number, { at, steady }: Moment) => ({
  period: ms === HOUR ? ('hour' as const) : ('day' as const),
  limit: most,
  used,
  free_at: Number.isFinite(freeAt) ? iso(at + (freeAt - steady)) : null,
  waiting,
})

function readingOf(budgets: readonly Budget[], ms: number, { at, steady }: Moment): BudgetReading | null {
  const budget = budgets.find((each) => each.ms === ms)
  if (budget === undefined) return null
  const { most, used, freeAt = Number.POSITIVE_INFINITY } = budget
  return { most, used, freeAt: Number.isFinite(freeAt) ? at + (freeAt - steady) : null }
}
