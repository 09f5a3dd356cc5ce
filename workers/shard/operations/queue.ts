import { iso } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { renderIdentifier } from '../../../src/domain/ids.ts'
import { SAFETY_REASONS } from '../../../src/domain/send-safety.ts'
import type { BudgetReading } from '../queue/safety/budget-reports.ts'
import type { Handlers } from './types.ts'

export const queue: Handlers<typeof import('../../../src/features/queue.ts')> = {
  'queue.list': ({ queue: line }, { page, page_size, phone }) =>
    line.list({ page, pageSize: page_size, phone: phone && renderIdentifier(phone) }),

  async 'queue.clear'({ queue: line }, { phone }) {
    return { value: true, removed: await line.clear(phone && renderIdentifier(phone)) }
  },

  async 'queue.remove'({ queue: line }, { svc_id }) {
    if (!(await line.remove(svc_id)))
      throw new Failure('not_found', { message: 'No waiting message has this id; it was already sent, or the id is wrong.' })
    return { value: true, removed: 1 }
  },

  async 'queue.sendSafety'({ queue: line, safety }) {
    const { hour, day, linkedAt, quietUntil } = await safety.reading()
    return {
      hour: hour && shownBudget(hour),
      day: day && shownBudget(day),
      linked_at: isoOrNull(linkedAt),
      quiet_until: isoOrNull(quietUntil),
      waiting: line.waitingFor(SAFETY_REASONS),
    }
  },
}

const isoOrNull = (at: number | null) => (at === null ? null : iso(at))

const shownBudget = ({ used, most, freeAt }: BudgetReading) => ({ used, limit: most, free_at: isoOrNull(freeAt) })
