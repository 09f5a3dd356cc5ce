import { useState } from 'preact/hooks'
import type { InstanceRow } from '../../../domain/dashboard.ts'
import { csvOf, isRefused, ORDERS, type Order, ordered } from '../../../domain/instance-list.ts'
import { isComplete, rows } from '../../api/live.ts'
import { route, setQuery, to } from '../../app/route.ts'
import { Badge, StateBadge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Choice, Field, Line } from '../../parts/field.tsx'
import { InstanceName } from '../../parts/instance-name.tsx'
import { Empty, Skeleton } from '../../parts/notice.tsx'
import { NumberOf } from '../../parts/number-of.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { type Column, Pager, Table } from '../../parts/table.tsx'
import { Ago, exactText } from '../../parts/time.tsx'
import { Name } from '../../parts/words.tsx'
import { formats } from '../../texts/language.ts'
import { t } from '../../texts/t.ts'
import { Activity } from '../activity/activity.tsx'
import { InstancePage } from '../instance/instance.tsx'
import { ChosenBar } from './chosen.tsx'
import { CreateDialog } from './create.tsx'
import { ImportDialog } from './import.tsx'
import { matches, StateChips } from './state-chips.tsx'

const PAGE_SIZES = ['25', '50', '100', '250'] as const

const number = (value: number | null) => <span class="number">{value === null ? '–' : value.toLocaleString(formats)}</span>

/**
 * Mark of an instance whose receiver refuses events. The mark stays until the next attempt, even if the receiver works
 * again.
 */
const ReceiverMark = ({ row }: { row: InstanceRow }) =>
  isRefused(row) ? (
    <a class="under" href={to(['webhook-log'], { instance: row.id, status: 'pending' })} title={exactText(row.refused_since!)}>
      <Badge look="bad">{t('not taken')}</Badge>
    </a>
  ) : null

const COLUMNS: readonly Column<InstanceRow>[] = [
  {
    label: t('Instance'),
    isHead: true,
    cell: ({ id, name, profile_name }) => (
      <span class="break">
        <a href={to(['instances', id])}>
          <InstanceName id={id} />
        </a>
        {profile_name && profile_name !== name ? (
          <span class="under">
            <Name>{profile_name}</Name>
          </span>
        ) : null}
      </span>
    ),
  },
  { label: t('Status'), cell: (row) => <StateBadge row={row} /> },
  { label: t('Number'), cell: (row) => <NumberOf row={row} /> },
  { label: t('Messages waiting'), isRight: true, cell: ({ queue }) => number(queue) },
  {
    label: t('Events waiting'),
    isRight: true,
    cell: (row) =>
      row.webhooks === 0 ? (
        <span class="soft">{t('no webhook')}</span>
      ) : (
        <span>
          {number(row.backlog)} <ReceiverMark row={row} />
        </span>
      ),
  },
  { label: t('Last received'), cell: ({ last_inbound_at }) => <Ago at={last_inbound_at} none="–" /> },
]

const ORDER_NAMES: Readonly<Record<Order, string>> = {
  trouble: t('Trouble first'),
  name: t('Name'),
  newest: t('Newest first'),
  queue: t('Most messages waiting'),
  backlog: t('Most events waiting'),
  inbound: t('Last received'),
}

const isOrder = (text: string | null): text is Order => ORDERS.some((order) => order === text)

const Nothing = ({ isFiltered, onCreate }: { isFiltered: boolean; onCreate(): void }) =>
  isFiltered ? (
    <Empty
      title={t('No instance matches')}
      actions={<Button onPress={() => setQuery({ q: '', status: '', page: '' })}>{t('Show all')}</Button>}
    >
      {t('The search covers names, numbers and ids.')}
    </Empty>
  ) : (
    <Empty
      title={t('No instances yet')}
      actions={
        <Button look="primary" onPress={onCreate} needs="instances.create">
          {t('Create the first instance')}
        </Button>
      }
    >
      {t('An instance is one linked device of one number. Create one, scan its QR code with the phone, and send.')}
    </Empty>
  )

const Filters = ({ all, order, size }: { all: readonly InstanceRow[]; order: Order; size: number }) => {
  const { query } = route.value
  const q = query.get('q') ?? ''
  return (
    <>
      <div class="filters">
        <Line
          label={t('Search')}
          class="grow"
          type="search"
          value={q}
          placeholder={t('Name, number or id')}
          onChange={(value) => setQuery({ q: value, page: '' })}
        />
        <Field label={t('Order')}>
          {(tied) => (
            <Choice
              tied={tied}
              value={order}
              options={ORDERS.map((each) => [each, ORDER_NAMES[each]] as const)}
              onChange={(value) => setQuery({ order: value, page: '' })}
            />
          )}
        </Field>
        <Field label={t('On a page')}>
          {(tied) => (
            <Choice
              tied={tied}
              value={String(size)}
              options={PAGE_SIZES.map((each) => [each, each] as const)}
              onChange={(value) => setQuery({ size: value, page: '' })}
            />
          )}
        </Field>
      </div>
      <StateChips rows={all.filter(matches(q, ''))} chosen={query.get('status') ?? ''} />
    </>
  )
}

function List() {
  const { query } = route.value
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isCreating, setCreating] = useState(false)
  const [isImporting, setImporting] = useState(false)
  const all = [...rows.value.values()]
  const wanted = query.get('order')
  const order = isOrder(wanted) ? wanted : 'trouble'
  const size = Number(PAGE_SIZES.find((each) => each === query.get('size')) ?? PAGE_SIZES[0])
  const found = ordered(all.filter(matches(query.get('q') ?? '', query.get('status') ?? '')), order)
  const page = Math.min(Number(query.get('page')) || 1, Math.max(1, Math.ceil(found.length / size)))
  const shown = found.slice((page - 1) * size, page * size)
  const save = () => saveFile(new Blob([csvOf(found)], { type: 'text/csv' }), 'instances.csv')
  return (
    <div class="page">
      <header>
        <h1>{t('Instances')}</h1>
        <span class="row">
          <Button isDisabled={found.length === 0} onPress={save}>
            {t('Save as CSV')}
          </Button>
          <Button onPress={() => setImporting(true)} needs="instances.move">
            {t('Import')}
          </Button>
          <Button look="primary" onPress={() => setCreating(true)} needs="instances.create">
            {t('Create instance')}
          </Button>
        </span>
      </header>
      <Filters all={all} order={order} size={size} />
      <section class="card flush" aria-label={t('Instances')}>
        {isComplete.value || all.length > 0 ? null : (
          <div class="card-inside">
            <Skeleton />
          </div>
        )}
        {isComplete.value && found.length === 0 ? (
          <Nothing isFiltered={all.length > 0} onCreate={() => setCreating(true)} />
        ) : null}
        {found.length > 0 ? (
          <>
            <Table
              name={t('Instances')}
              rows={shown}
              columns={COLUMNS}
              keyOf={({ id }) => id}
              nameOf={({ name }) => name}
              chosen={chosen}
              onChoose={setChosen}
            />
            <Pager
              page={page}
              pageSize={size}
              total={found.length}
              what={['instance', 'instances']}
              onPage={(next) => setQuery({ page: next })}
            />
          </>
        ) : null}
        <ChosenBar all={all} chosen={chosen} shown={shown} found={found} onChoose={setChosen} />
      </section>
      {all.length > 0 ? <Activity /> : null}
      {isImporting ? <ImportDialog onClose={() => setImporting(false)} /> : null}
      {isCreating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
    </div>
  )
}

export function InstancesPage() {
  const [, id] = route.value.path
  return id === undefined ? <List /> : <InstancePage key={id} id={id} />
}
