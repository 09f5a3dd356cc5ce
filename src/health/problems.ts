import { DAY, MINUTE } from '../domain/clock.ts'
import type { Health, HealthPoint, HealthProblem, ThreadHealth } from '../domain/dashboard.ts'
import type { Status } from '../domain/instance.ts'
import { QUEUE_CAPACITY } from '../domain/queue-capacity.ts'
import { hasPlan, maySend, type Subscription } from '../domain/workspace.ts'

const NAMED = 20
const MUCH_BACKLOG = 1_000
/** From this share of failed deliveries in the last `RECENT` ms on, a problem is reported. */
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
    /** Whether the owner paused the instance, or nobody has ever paired it. Neither is a problem. */
    isIdle: boolean
    queue: number | null
    backlog: number | null
    isRestricted: boolean
  }[]
  points: readonly HealthPoint[]
  outboxMax: number
  now: number
}

const counted = (count: number, one: string, more: string) => `${count} ${count === 1 ? one : more}`

const STATUS_PROBLEMS: readonly { status: Status; level: HealthProblem['level']; is: string; todo: string }[] = [
  {
    status: 'banned',
    level: 'error',
    is: 'rejected by the network',
    todo: 'Open the app on the phone; it shows why the account is banned and how to request a review.',
  },
  {
    status: 'logged_out',
    level: 'warning',
    is: 'logged out',
    todo: 'Scan a new QR code with the phone; the queued messages are sent afterwards.',
  },
  {
    status: 'disconnected',
    level: 'warning',
    is: 'disconnected and reconnecting',
    todo: 'Wait a few minutes. If the problem stays, check the network of this machine and the proxy of the instance.',
  },
  {
    status: 'stopped',
    level: 'warning',
    is: 'stopped',
    todo: 'The page of the instance shows the reason; restart the instance or request a QR code.',
  },
]

function ofInstances({ instances, outboxMax }: Facts): HealthProblem[] {
  const found: HealthProblem[] = []
  const name = (level: HealthProblem['level'], ids: readonly string[], is: string, todo: string, status?: Status) => {
    if (ids.length === 0) return
    found.push({
      level,
      what: `${counted(ids.length, 'instance is', 'instances are')} ${is}.`,
      todo,
      instance_ids: ids.slice(0, NAMED),
      instances: ids.length,
      ...(status === undefined ? {} : { status }),
    })
  }
  const those = (fits: (each: Facts['instances'][number]) => boolean) => instances.filter(fits).map(({ id }) => id)
  for (const { status, level, is, todo } of STATUS_PROBLEMS)
    name(
      level,
      those((each) => each.status === status && !each.isIdle),
      is,
      todo,
      status,
    )
  name(
    'warning',
    those(({ isRestricted }) => isRestricted),
    'restricted by the network: messages to people who never wrote to them stay in the queue',
    'Wait until the restriction ends. To avoid the next one, send fewer messages to people who do not answer.',
  )
  const full = those(({ queue }) => (queue ?? 0) >= QUEUE_CAPACITY)
  if (full.length > 0)
    found.push({
      level: 'error',
      what: `${counted(full.length, 'queue is', 'queues are')} full (${QUEUE_CAPACITY} messages wait): further messages are refused.`,
      todo: 'The page of the queue shows what it waits for. Connect the instance, or clear its queue.',
      instance_ids: full.slice(0, NAMED),
      instances: full.length,
    })
  const isFull = ({ backlog }: Facts['instances'][number]) => (backlog ?? 0) >= outboxMax
  name(
    'error',
    those(isFull),
    'losing their oldest webhook events',
    'The receiver does not accept them: repair it, or raise SVC_OUTBOX_MAX.',
  )
  name(
    'warning',
    those((each) => (each.backlog ?? 0) >= Math.min(MUCH_BACKLOG, outboxMax) && !isFull(each)),
    'behind with their webhooks',
    'Check the webhook log: the receiver is slow, or its answers are errors.',
  )
  return found
}

function ofReceivers({ points, now }: Facts): HealthProblem[] {
  const recent = points.filter(({ at }) => Date.parse(at) > now - RECENT)
  const sum = (of: (point: HealthPoint) => number) => recent.reduce((total, point) => total + of(point), 0)
  const [failed, delivered] = [sum((point) => point.failures_per_second), sum((point) => point.deliveries_per_second)]
  if (failed === 0 || failed / (failed + delivered) < MANY_FAILURES) return []
  return [
    {
      level: 'warning',
      what: 'Most attempts to deliver webhooks failed in the last ten minutes.',
      todo: 'Filter the webhook log by failed or pending; it shows the answers of the receivers.',
    },
  ]
}

function ofPlan({ subscription, slots, now }: Facts): HealthProblem[] {
  const found: HealthProblem[] = []
  if (!maySend(subscription, now))
    found.push({
      level: 'error',
      what: `The plan is ${subscription.status}: nothing can be sent.`,
      todo: 'Change the plan under Keys and access.',
    })
  else if (!hasPlan(subscription, now))
    found.push({
      level: 'warning',
      what: 'The plan does not allow the Account API.',
      todo: 'Change the plan under Keys and access.',
    })
  else if (subscription.status === 'canceled' && subscription.dueAt - now < 7 * DAY)
    found.push({ level: 'warning', what: 'The plan ends within a week.', todo: 'Change the plan under Keys and access.' })
  if (slots.used >= slots.total)
    found.push({
      level: 'warning',
      what: 'All instance slots are used.',
      todo: 'Delete an instance, or raise the number of slots under Keys and access.',
    })
  return found
}

export function problemsOf(facts: Facts): HealthProblem[] {
  const { checks, diskProblem, threads } = facts
  const found: HealthProblem[] = []
  if (checks.database === 'failed' || checks.session_store === 'failed')
    found.push({
      level: 'error',
      what: 'The store cannot be read.',
      todo: 'Check the disk and the log; do not start a second service on the same folder.',
    })
  if (checks.disk === 'failed')
    found.push({
      level: 'error',
      what: diskProblem ?? 'The disk is nearly full: new messages are refused.',
      todo: 'Free space on the disk; the service then resumes by itself.',
    })
  const down = threads.filter(({ up }) => !up)
  if (down.length > 0)
    found.push({
      level: 'error',
      what: `${counted(down.length, 'thread does', 'threads do')} not answer: ${down.map(({ name }) => name).join(', ')}.`,
      todo: 'The service restarts it within 30 seconds. If the problem returns, the log shows why the thread ended.',
    })
  const busy = threads.filter((thread) => (thread.busy ?? 0) > 0.9)
  if (busy.length > 0)
    found.push({
      level: 'warning',
      what: `${counted(busy.length, 'thread works', 'threads work')} without a pause: ${busy.map(({ name }) => name).join(', ')}.`,
      todo: 'Raise SVC_SHARDS if the machine has unused cores, or move instances to another machine.',
    })
  if (facts.clockProblem !== undefined)
    found.push({
      level: 'warning',
      what: facts.clockProblem,
      todo: 'Synchronise the clock of the machine (NTP). Ids and times that are ahead stay so until real time reaches them.',
    })
  for (const what of facts.bucketProblems)
    found.push({
      level: 'warning',
      what,
      todo: 'The log has the answer of its server. Check the server, the URL and the credentials; the service goes on by itself.',
    })
  if (checks.media !== 'ok')
    found.push({
      level: 'warning',
      what: 'No converter for audio and video is installed.',
      todo: 'Install ffmpeg, or name it in SVC_FFMPEG, and start the service again.',
    })
  return [...found, ...ofPlan(facts), ...ofReceivers(facts), ...ofInstances(facts)]
}
