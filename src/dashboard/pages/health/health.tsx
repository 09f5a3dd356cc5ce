/** Health of the service, now and in the last hour. */
import type { Health } from '../../../domain/dashboard.ts'
import { ask } from '../../api/client.ts'
import { useEvery, useLoad } from '../../app/load.ts'
import { to } from '../../app/route.ts'
import { Badge } from '../../parts/badge.tsx'
import { InstanceName } from '../../parts/instance-name.tsx'
import { Empty, Notice, Problem, Skeleton } from '../../parts/notice.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { bytesText } from '../../parts/words.tsx'
import { loadUsage, UsageTable } from '../usage/usage-table.tsx'
import { Charts } from './charts.tsx'

const LOOK_EVERY_MS = 10_000

const LOOKS = { ok: ['All well', 'good'], degraded: ['Degraded', 'warn'], down: ['Down', 'bad'] } as const

const Problems = ({ health }: { health: Health }) => (
  <>
    {health.problems.map(({ level, what, todo, instance_ids = [] }) => (
      <Notice key={what} kind={level === 'error' ? 'bad' : 'warn'}>
        <div>
          <strong>{what}</strong> {todo}
          {instance_ids.length > 0 ? (
            <span class="under row">
              {instance_ids.map((id) => (
                <a key={id} href={to(['instances', id])}>
                  <InstanceName id={id} />
                </a>
              ))}
            </span>
          ) : null}
        </div>
      </Notice>
    ))}
  </>
)

const Tiles = ({ health }: { health: Health }) => {
  const { instances, slots, queue, backlog, memory, data } = health
  const tiles = [
    ['Connected', `${instances.connected} of ${slots.used}`, `${slots.total} slots in the plan`],
    ['Messages waiting', queue.toLocaleString('en'), 'in all queues'],
    ['Events waiting', backlog.toLocaleString('en'), 'for their receivers'],
    ['Memory', `${Math.round(memory.rss_mb)} MB`, `${Math.round(memory.heap_mb)} MB of it heap`],
    ['Data folder', bytesText(data.bytes), data.free_bytes === null ? '' : `${bytesText(data.free_bytes)} free`],
  ] as const
  return (
    <div class="tiles">
      {tiles.map(([name, value, more]) => (
        <div class="tile" key={name}>
          <small>{name}</small>
          <strong>{value}</strong>
          <small>{more}</small>
        </div>
      ))}
    </div>
  )
}

type Thread = Health['threads'][number]
const COLUMNS: readonly Column<Thread>[] = [
  { label: 'Thread', isHead: true, cell: ({ name }) => name },
  { label: 'State', cell: ({ up }) => <Badge look={up ? 'good' : 'bad'}>{up ? 'Up' : 'Down'}</Badge> },
  { label: 'Instances', isRight: true, cell: ({ instances }) => <span class="number">{instances ?? '–'}</span> },
  {
    label: 'Heap',
    isRight: true,
    cell: ({ heap_mb }) => <span class="number">{heap_mb === null ? '–' : `${Math.round(heap_mb)} MB`}</span>,
  },
  {
    label: 'Busy',
    isRight: true,
    cell: ({ busy }) => <span class="number">{busy === null ? '–' : `${Math.round(busy * 100)} %`}</span>,
  },
  { label: 'Restarts', isRight: true, cell: ({ restarts }) => <span class="number">{restarts}</span> },
]

const CHECKS: Record<keyof Health['checks'], string> = {
  database: 'Database',
  session_store: 'Session store',
  engine: 'Threads',
  disk: 'Disk',
  media: 'Media converter',
}

const Facts = ({ health: { version, api_version, node, started_at, checks, data } }: { health: Health }) => (
  <section class="card">
    <header>
      <h2>Service</h2>
    </header>
    <dl class="facts">
      <dt>Version</dt>
      <dd>
        {version}, API {api_version}, Node {node}
      </dd>
      <dt>Running</dt>
      <dd>
        since <Ago at={started_at} />
      </dd>
      <dt>Store</dt>
      <dd>{bytesText(data.store_bytes)}</dd>
      <dt>Files</dt>
      <dd>{bytesText(data.media_bytes)}</dd>
      {Object.entries(CHECKS).map(([name, text]) => {
        const said = checks[name as keyof Health['checks']]
        return [
          <dt key={name}>{text}</dt>,
          <dd key={`${name} said`}>
            <Badge look={said === 'ok' ? 'good' : said === 'failed' ? 'bad' : 'warn'}>{said}</Badge>
          </dd>,
        ]
      })}
    </dl>
  </section>
)

/** Number of instances on this page; the page Usage has all. */
const TOP = 10

function MostExpensive() {
  const { data, problem, reload } = useLoad(() => loadUsage({ window: 'hour', page_size: TOP }), [])
  useEvery(LOOK_EVERY_MS, reload)
  return (
    <section class="card flush" aria-label="The most expensive instances">
      <header>
        <h2>The most expensive instances of the last hour</h2>
        <a href={to(['usage'])}>All</a>
      </header>
      <Problem of={problem} again={reload} />
      {data ? <UsageTable name="The most expensive instances" rows={data.data} /> : null}
    </section>
  )
}

export function HealthPage() {
  const { data, problem, reload } = useLoad(() => ask<Health>('GET', 'api/health'), [])
  useEvery(LOOK_EVERY_MS, reload)
  return (
    <div class="page">
      <header>
        <h1>Health</h1>
        {data ? <Badge look={LOOKS[data.status][1]}>{LOOKS[data.status][0]}</Badge> : null}
      </header>
      <Problem of={problem} again={reload} />
      {!data && !problem ? <Skeleton /> : null}
      {data ? (
        <>
          <Problems health={data} />
          <Tiles health={data} />
          {data.series.points.length > 1 ? (
            <Charts series={data.series} />
          ) : (
            <section class="card">
              <Empty title="No numbers yet">
                The first value appears ten seconds after the start. The values of the last hour are kept in memory.
              </Empty>
            </section>
          )}
          <MostExpensive />
          <div class="columns">
            <section class="card flush" aria-label="Threads">
              <header>
                <h2>Threads</h2>
              </header>
              <Table name="Threads" rows={data.threads} columns={COLUMNS} keyOf={({ name }) => name} />
            </section>
            <Facts health={data} />
          </div>
        </>
      ) : null}
    </div>
  )
}
