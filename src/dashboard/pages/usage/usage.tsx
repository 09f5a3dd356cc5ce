import { useEvery, useLoad } from '../../app/load.ts'
import { route, setQuery } from '../../app/route.ts'
import { Choice, Field } from '../../parts/field.tsx'
import { Empty, Problem, Skeleton } from '../../parts/notice.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { Pager } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { t } from '../../texts/t.ts'
import { loadUsage, type UsagePage as Page, type UsageQuery, UsageTable } from './usage-table.tsx'

const LOOK_EVERY_MS = 10_000
const PAGE_SIZE = 20

const WINDOWS = [
  ['minute', t('Last minute')],
  ['hour', t('Last hour')],
  ['day', t('Last day')],
] as const satisfies readonly (readonly [NonNullable<UsageQuery['window']>, string])[]

const SORTS = [
  ['cpu', t('Processor time')],
  ['memory', t('Kept in memory')],
  ['sent', t('Messages sent')],
  ['received', t('Messages received')],
  ['queue', t('Messages waiting')],
  ['backlog', t('Events waiting')],
  ['reconnects', t('Reconnections')],
] as const satisfies readonly (readonly [NonNullable<UsageQuery['sort']>, string])[]

const CHOICES = [
  ['window', t('Time'), WINDOWS],
  ['sort', t('Sorted by'), SORTS],
] as const

function chosen<T extends string>(value: string | null, options: readonly (readonly [T, string])[], otherwise: T): T {
  return options.find(([name]) => name === value)?.[0] ?? otherwise
}

/** Shows since when the usage of the listed instances is counted. */
const Since = ({ rows }: { rows: Page['data'] }) => {
  const since = rows.flatMap((row) => row.since ?? []).sort()[0]
  return since === undefined ? null : (
    <p class="hint">
      <Sentence
        text="Counted since {time}. A processor share of 100 % is one core that is always busy. Requests to the API and conversions of media are not part of it."
        elements={{ time: <Ago at={since} /> }}
      />
    </p>
  )
}

export function UsagePage() {
  const { query } = route.value
  const wanted = {
    window: chosen(query.get('window'), WINDOWS, 'hour'),
    sort: chosen(query.get('sort'), SORTS, 'cpu'),
    page: Math.max(1, Number(query.get('page')) || 1),
    page_size: PAGE_SIZE,
  }
  const { data, problem, reload } = useLoad(() => loadUsage(wanted), [query.toString()])
  useEvery(LOOK_EVERY_MS, reload)
  return (
    <div class="page">
      <header>
        <h1>{t('Usage')}</h1>
      </header>
      <div class="filters">
        {CHOICES.map(([name, label, options]) => (
          <Field key={name} label={label}>
            {(tied) => (
              <Choice
                tied={tied}
                value={wanted[name]}
                options={options}
                onChange={(value) => setQuery({ [name]: value, page: '' })}
              />
            )}
          </Field>
        ))}
      </div>
      <Problem of={problem} again={reload} />
      {!data && !problem ? <Skeleton /> : null}
      {data && data.total === 0 ? (
        <Empty title={t('No instances yet')}>{t('Create an instance; this page then shows what it costs.')}</Empty>
      ) : null}
      {data && data.total > 0 ? (
        <section class="card flush" aria-label={t('Usage of instances')}>
          <UsageTable name={t('Usage of instances')} rows={data.data} />
          <Pager
            page={data.page}
            pageSize={data.page_size}
            total={data.total}
            what={['instance', 'instances']}
            onPage={(page) => setQuery({ page })}
          />
        </section>
      ) : null}
      {data ? <Since rows={data.data} /> : null}
    </div>
  )
}
