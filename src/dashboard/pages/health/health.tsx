import { HEALTH_WINDOWS, type Health, type HealthWindow } from '../../../domain/dashboard.ts'
import { ask } from '../../api/client.ts'
import { useEvery, useLoad } from '../../app/load.ts'
import { route, setQuery, to } from '../../app/route.ts'
import { Badge } from '../../parts/badge.tsx'
import { Chips } from '../../parts/chips.tsx'
import { Empty, Problem, Skeleton } from '../../parts/notice.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { At } from '../../parts/time.tsx'
import { bytesText } from '../../parts/words.tsx'
import { formats } from '../../texts/language.ts'
import { t } from '../../texts/t.ts'
import { loadUsage, UsageTable } from '../usage/usage-table.tsx'
import { Charts } from './charts.tsx'
import { Nodes } from './nodes.tsx'
import { Problems } from './problems.tsx'

const LOOK_EVERY_MS = 10_000

const LOOKS = { ok: [t('All well'), 'good'], degraded: [t('Degraded'), 'warn'], down: [t('Down'), 'bad'] } as const

const Tiles = ({ health }: { health: Health }) => {
  const { instances, slots, queue, backlog, memory, data } = health
  const tiles = [
    [
      t('Connected'),
      t('{used} of {total}', { used: instances.connected, total: slots.used }),
      t('{n} slots in the plan', { n: slots.total }),
    ],
    [t('Messages waiting'), queue.toLocaleString(formats), t('in all queues')],
    [t('Events waiting'), backlog.toLocaleString(formats), t('for their receivers')],
    [t('Memory'), `${Math.round(memory.rss_mb)} MB`, t('{n} MB of it heap', { n: Math.round(memory.heap_mb) })],
    [
      t('Data folder'),
      bytesText(data.bytes),
      data.free_bytes === null ? '' : t('{size} free', { size: bytesText(data.free_bytes) }),
    ],
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
  { label: t('Thread'), isHead: true, cell: ({ name }) => name },
  { label: t('State'), cell: ({ up }) => <Badge look={up ? 'good' : 'bad'}>{up ? t('Up') : t('Down')}</Badge> },
  { label: t('Instances'), isRight: true, cell: ({ instances }) => <span class="number">{instances ?? '–'}</span> },
  {
    label: t('Heap'),
    isRight: true,
    cell: ({ heap_mb }) => <span class="number">{heap_mb === null ? '–' : `${Math.round(heap_mb)} MB`}</span>,
  },
  {
    label: t('Busy'),
    isRight: true,
    cell: ({ busy }) => <span class="number">{busy === null ? '–' : `${Math.round(busy * 100)} %`}</span>,
  },
  { label: t('Restarts'), isRight: true, cell: ({ restarts }) => <span class="number">{restarts}</span> },
]

const CHECKS: Record<keyof Health['checks'], string> = {
  database: t('Database'),
  session_store: t('Session store'),
  engine: t('Threads'),
  disk: t('Disk'),
  media: t('Media converter'),
}

const SAID: Readonly<Record<string, readonly [text: string, look: 'good' | 'bad' | 'warn']>> = {
  ok: [t('Works'), 'good'],
  failed: [t('Does not work'), 'bad'],
  'no converter': [t('Not installed'), 'warn'],
}

const Facts = ({ health: { version, api_version, node, started_at, checks, data } }: { health: Health }) => (
  <section class="card">
    <header>
      <h2>{t('Service')}</h2>
    </header>
    <dl class="facts">
      <dt>{t('Version')}</dt>
      <dd>
        {version}, API {api_version}, Node {node}
      </dd>
      <dt>{t('Running')}</dt>
      <dd>
        <Sentence text="since {time}" elements={{ time: <At at={started_at} /> }} />
      </dd>
      <dt>{t('Store')}</dt>
      <dd>{bytesText(data.store_bytes)}</dd>
      <dt>{t('Files')}</dt>
      <dd>{bytesText(data.media_bytes)}</dd>
      {Object.entries(CHECKS).map(([name, text]) => {
        const [said, look] = SAID[checks[name as keyof Health['checks']]] ?? SAID.failed!
        return [
          <dt key={name}>{text}</dt>,
          <dd key={`${name} said`}>
            <Badge look={look}>{said}</Badge>
          </dd>,
        ]
      })}
    </dl>
  </section>
)

const TOP = 10

function MostExpensive() {
  const { data, problem, reload } = useLoad(() => loadUsage({ window: 'hour', page_size: TOP }), [])
  useEvery(LOOK_EVERY_MS, reload)
  return (
    <section class="card flush" aria-label={t('The most expensive instances')}>
      <header>
        <h2>{t('The most expensive instances of the last hour')}</h2>
        <a href={to(['usage'])}>{t('All')}</a>
      </header>
      <Problem of={problem} again={reload} />
      {data ? <UsageTable name={t('The most expensive instances')} rows={data.data} /> : null}
    </section>
  )
}

const WINDOWS: readonly (readonly [HealthWindow, string])[] = [
  ['hour', t('Last hour')],
  ['day', t('Last day')],
  ['week', t('Last week')],
]

export function HealthPage() {
  const window = HEALTH_WINDOWS.find((each) => each === route.value.query.get('window')) ?? 'hour'
  const { data, problem, reload } = useLoad(() => ask<Health>('GET', `api/health?window=${window}`), [window])
  useEvery(LOOK_EVERY_MS, reload)
  return (
    <div class="page">
      <header>
        <h1>{t('Health')}</h1>
        {data ? <Badge look={LOOKS[data.status][1]}>{LOOKS[data.status][0]}</Badge> : null}
      </header>
      <Problem of={problem} again={reload} />
      {!data && !problem ? <Skeleton /> : null}
      {data ? (
        <>
          <Problems health={data} />
          <Tiles health={data} />
          <Chips label={t('Time')} value={window} options={WINDOWS} onChange={(value) => setQuery({ window: value })} />
          {data.series.points.length > 0 ? (
            <Charts series={data.series} />
          ) : (
            <section class="card">
              <Empty title={t('No numbers yet')}>
                {t('The first value appears ten seconds after the first start of the service.')}
              </Empty>
            </section>
          )}
          <MostExpensive />
          <div class="columns">
            <section class="card flush" aria-label={t('Threads')}>
              <header>
                <h2>{t('Threads')}</h2>
              </header>
              <Table name={t('Threads')} rows={data.threads} columns={COLUMNS} keyOf={({ name }) => name} />
            </section>
            <Facts health={data} />
          </div>
          {data.answering ? <Nodes answering={data.answering} /> : null}
        </>
      ) : null}
    </div>
  )
}
