import { DAY, MINUTE } from '../domain/clock.ts'
import type { Health, HealthPoint, HealthProblem, ThreadHealth } from '../domain/dashboard.ts'
import { type HealthCode, type HealthValues, healthSentences } from '../domain/health-words.ts'
import type { Status } from '../domain/instance.ts'
import { QUEUE_CAPACITY } from '../domain/queue-capacity.ts'
import { hasPlan, maySend, type Subscription } from '../domain/workspace.ts'

const NAMED = 20
const MUCH_BACKLOG = 1_000
/** Minimum share of failed deliveries in the last `RECENT` ms at which a problem is reported. */
const MANY_FAILURES = 0.5
const RECENT = 10 * MINUTE

export interface Facts {
  checks: Health['checks']
  diskProblem: string | undefined
  clockProblem: string | undefined
  bucketProblems: readonly string[]
  threads: readonly ThreadHealth[]
  subscription: Subscription
  slots: Health['slots']
  instances: readonly {
    id: string
    status: Status
    /** True if the owner paused the instance, or nobody has ever paired it. Neither is a problem. */
    isIdle: boolean
    queue: number | null
    backlog: number | null
    isRestricted: boolean
    /**
     * Time in epoch ms since which all attempts to deliver events of one type have failed; null if there is no such
     * type.
     */
    refusedSince: number | null
  }[]
  points: readonly HealthPoint[]
  outboxMax: number
  now: number
}

const filled = (sentence: string, values: HealthValues) =>
  sentence.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place))

interface About {
  values?: HealthValues
  /** Sentence that replaces the general sentence about the problem. */
  says?: string | undefined
}

function problem(code: HealthCode, level: HealthProblem['level'], { values = {}, says }: About = {}): HealthProblem {
  const { what, todo } = healthSentences(code, values)
  return { code, level, values, what: says ?? filled(what, values), todo }
}

type Instance = Facts['instances'][number]

interface OfInstances {
  code: HealthCode
  level: HealthProblem['level']
  fits(each: Instance, facts: Facts): boolean
  status?: Status
  values?: HealthValues
}

const ofStatus = (status: Status & HealthCode, level: HealthProblem['level']): OfInstances => ({
  code: status,
  level,
  fits: (each) => each.status === status && !each.isIdle,
  status,
})

const isFull = ({ backlog }: Instance, { outboxMax }: Facts) => (backlog ?? 0) >= outboxMax
const isRefused = ({ refusedSince }: Instance, { now }: Facts) => refusedSince !== null && now - refusedSince >= MINUTE

const INSTANCE_PROBLEMS: readonly OfInstances[] = [
  ofStatus('banned', 'error'),
  ofStatus('logged_out', 'warning'),
  ofStatus('disconnected', 'warning'),
  ofStatus('stopped', 'warning'),
  { code: 'restricted', level: 'warning', fits: ({ isRestricted }) => isRestricted },
  {
    code: 'queue_full',
    level: 'error',
    fits: ({ queue }) => (queue ?? 0) >= QUEUE_CAPACITY,
    values: { total: QUEUE_CAPACITY },
  },
  { code: 'receivers', level: 'warning', fits: isRefused },
  { code: 'events_lost', level: 'error', fits: isFull },
  {
    code: 'events_behind',
    level: 'warning',
    fits: (each, facts) => (each.backlog ?? 0) >= Math.min(MUCH_BACKLOG, facts.outboxMax) && !isFull(each, facts),
  },
]

const ofInstances = (facts: Facts): HealthProblem[] =>
  INSTANCE_PROBLEMS.flatMap(({ code, level, fits, status, values }) => {
    const ids = facts.instances.filter((each) => fits(each, facts)).map(({ id }) => id)
    if (ids.length === 0) return []
    return {
      ...problem(code, level, { values: { n: ids.length, ...values } }),
      instance_ids: ids.slice(0, NAMED),
      instances: ids.length,
      ...(status === undefined ? {} : { status }),
    }
  })

/**
 * Reports that many attempts to deliver events have failed. Reports nothing if all attempts of one instance and event
 * type have failed for a minute, because another problem then reports the instance.
 */
function ofReceivers(facts: Facts): HealthProblem[] {
  const { points, now } = facts
  const recent = points.filter(({ at }) => Date.parse(at) > now - RECENT)
  const sum = (of: (point: HealthPoint) => number) => recent.reduce((total, point) => total + of(point), 0)
  const [failed, delivered] = [sum((point) => point.failures_per_second), sum((point) => point.deliveries_per_second)]
  if (failed === 0 || failed / (failed + delivered) < MANY_FAILURES) return []
  return facts.instances.some((each) => isRefused(each, facts)) ? [] : [problem('deliveries', 'warning')]
}

function ofPlan({ subscription, slots, now }: Facts): HealthProblem[] {
  const found: HealthProblem[] = []
  if (!maySend(subscription, now)) found.push(problem('plan_refuses', 'error', { values: { status: subscription.status } }))
  else if (!hasPlan(subscription, now)) found.push(problem('plan_no_account_api', 'warning'))
  else if (subscription.status === 'canceled' && subscription.dueAt - now < 7 * DAY) found.push(problem('plan_ends', 'warning'))
  if (slots.used >= slots.total) found.push(problem('slots', 'warning'))
  return found
}

function ofThreads({ threads }: Facts): HealthProblem[] {
  const named = (code: HealthCode, level: HealthProblem['level'], fits: (each: ThreadHealth) => boolean) => {
    const names = threads.filter(fits).map(({ name }) => name)
    return names.length === 0 ? [] : [problem(code, level, { values: { n: names.length, names: names.join(', ') } })]
  }
  return [...named('thread_down', 'error', ({ up }) => !up), ...named('thread_busy', 'warning', ({ busy }) => (busy ?? 0) > 0.9)]
}

export function problemsOf(facts: Facts): HealthProblem[] {
  const { checks, diskProblem, clockProblem } = facts
  const found: HealthProblem[] = []
  if (checks.database === 'failed' || checks.session_store === 'failed') found.push(problem('store', 'error'))
  if (checks.disk === 'failed') found.push(problem('disk', 'error', { says: diskProblem }))
  found.push(...ofThreads(facts))
  if (clockProblem !== undefined) found.push(problem('clock', 'warning', { says: clockProblem }))
  for (const says of facts.bucketProblems) found.push(problem('bucket', 'warning', { says }))
  if (checks.media !== 'ok') found.push(problem('converter', 'warning'))
  return [...found, ...ofPlan(facts), ...ofReceivers(facts), ...ofInstances(facts)]
}
