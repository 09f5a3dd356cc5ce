import { z } from 'zod'
import { iso } from '../../domain/clock.ts'
import type { InstanceId } from '../../domain/ids.ts'
import { STATUSES } from '../../domain/instance.ts'
import { USAGE_WINDOWS, type UsageWindow } from '../../domain/usage.ts'
import { MAX_INSTANCE_SLOTS } from '../../domain/workspace.ts'
import { local } from '../endpoint.ts'
import { instant, oneOf, paged, paging, uuid } from '../fields.ts'
import { instanceExample } from '../objects.ts'
import type { Parts } from '../parts.ts'

/** Milliseconds for which a measurement is reused. */
const FRESH = 1_000

const WINDOWS = Object.keys(USAGE_WINDOWS) as [UsageWindow, ...UsageWindow[]]

const count = (description: string) => z.int().meta({ description })

const InstanceUsage = z
  .object({
    instance_id: uuid,
    name: z.string(),
    status: z.enum(STATUSES),
    cpu_ms: count('CPU time that its session, messages and webhooks used in its thread, in ms.'),
    cpu_percent: z
      .number()
      .meta({ description: 'The same as a share of the counted time: 100 is one CPU core that is always busy.' }),
    memory_bytes: count(
      'Bytes of the recent messages and waiting events that it keeps in memory now. It leaves out what every instance needs alike.',
    ),
    sent: count('Messages that left the queue and that the network accepted.'),
    received: count('Messages from other people, groups and channels.'),
    queue: count('Messages that wait in its queue now.').nullable(),
    backlog: count('Events that wait for delivery now.').nullable(),
    reconnects: count('Number of times that it connected again.'),
    last_sent_at: instant.nullable().meta({ description: 'Null if nothing was sent since its thread started.' }),
    last_received_at: instant.nullable().meta({ description: 'Null if nothing was received since its thread started.' }),
    since: instant.nullable().meta({
      description:
        'Begin of the counted time; later than that of the window after a start of the service. Null before the first count.',
    }),
  })
  .meta({ id: 'InstanceUsage' })

const ORDERS = {
  cpu: ({ counted }: Known) => counted?.cpuMs,
  memory: ({ last }: Known) => last?.heldBytes,
  sent: ({ counted }: Known) => counted?.sent,
  received: ({ counted }: Known) => counted?.received,
  queue: ({ reading }: Known) => reading?.waiting,
  backlog: ({ reading }: Known) => reading?.backlog,
  reconnects: ({ counted }: Known) => counted?.reconnects,
} as const
const SORTS = Object.keys(ORDERS) as [keyof typeof ORDERS, ...(keyof typeof ORDERS)[]]

const whenever = (at: number | null | undefined) => (at === null || at === undefined ? null : iso(at))

const knownOf = ({ readings, usage }: Parts, instance: InstanceId, window: UsageWindow) => ({
  instance,
  counted: usage.within(instance, window),
  last: usage.now(instance),
  reading: readings.of(instance),
})
type Known = ReturnType<typeof knownOf>

function render({ directory }: Parts, { instance, counted, last, reading }: Known): z.output<typeof InstanceUsage> {
  const { name, status } = directory.render(instance, '')
  const cpuMs = counted?.cpuMs ?? 0
  return {
    instance_id: instance,
    name,
    status,
    cpu_ms: Math.round(cpuMs),
    cpu_percent: counted && counted.spanMs > 0 ? Math.round((cpuMs / counted.spanMs) * 10_000) / 100 : 0,
    memory_bytes: last?.heldBytes ?? 0,
    sent: counted?.sent ?? 0,
    received: counted?.received ?? 0,
    queue: reading?.waiting ?? null,
    backlog: reading?.backlog ?? null,
    reconnects: counted?.reconnects ?? 0,
    last_sent_at: whenever(last?.lastSentAt),
    last_received_at: whenever(last?.lastReceivedAt),
    since: whenever(counted?.since),
  }
}

export const usage = local('account.usage', 'GET /account/usage', {
  access: 'instances:read',
  summary: 'List the use of resources of each instance, the largest first',
  description:
    'CPU time, messages and connections of every instance over the last minute, hour or day. Counts are kept in memory: they start at 0 when ' +
    'the service starts. The CPU time of the main thread (requests) and of conversions of media is not part of it.',
  input: {
    window: oneOf(WINDOWS).default('hour').meta({ description: 'The time up to now that is counted.' }),
    sort: oneOf(SORTS).default('cpu').meta({ description: 'The amount by which instances are sorted, the largest first.' }),
    ...paging({ default: 20, max: 500 }),
  },
  reply: paged(InstanceUsage),
  async handle({ parts, workspace }, { window, sort, page, page_size }) {
    await parts.usage.look(FRESH)
    const { ids, total } = parts.directory.list(workspace, { page: 1, page_size: MAX_INSTANCE_SLOTS })
    const amount = ORDERS[sort]
    const known = ids.map((id) => knownOf(parts, id, window)).sort((one, other) => (amount(other) ?? 0) - (amount(one) ?? 0))
    const shown = known.slice((page - 1) * page_size, page * page_size).map((each) => render(parts, each))
    return { data: shown, page, page_size, total }
  },
  examples: [
    {
      name: 'the most expensive of the last hour',
      input: { window: 'hour', sort: 'cpu', page_size: '10' },
      reply: {
        data: [
          {
            instance_id: instanceExample.id,
            name: instanceExample.name,
            status: 'connected',
            cpu_ms: 5_190,
            cpu_percent: 0.14,
            memory_bytes: 1_204_224,
            sent: 812,
            received: 1_204,
            queue: 3,
            backlog: 0,
            reconnects: 1,
            last_sent_at: '2026-01-31T12:00:00.000Z',
            last_received_at: '2026-01-31T12:00:02.000Z',
            since: '2026-01-31T11:03:20.000Z',
          },
        ],
        page: 1,
        page_size: 10,
        total: 1,
      },
    },
  ],
})
