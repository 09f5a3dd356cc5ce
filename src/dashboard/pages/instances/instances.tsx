/** All instances with their current state. */
import { useState } from 'preact/hooks'
import type { InstanceRow } from '../../../domain/dashboard.ts'
import { isComplete, rows, totals } from '../../api/live.ts'
import { route, setQuery, to } from '../../app/route.ts'
import { STATUS_NAMES, StatusBadge, statusText } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Choice, Field, Line } from '../../parts/field.tsx'
import { InstanceName } from '../../parts/instance-name.tsx'
import { Empty, Skeleton } from '../../parts/notice.tsx'
import { type Column, Pager, Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { Name, phoneText } from '../../parts/words.tsx'
import { InstancePage } from '../instance/instance.tsx'
import { ChosenBar } from './chosen.tsx'
import { CreateDialog } from './create.tsx'
import { ImportDialog } from './import.tsx'

const PAGE_SIZE = 25

const number = (value: number | null) => <span class="number">{value === null ? '–' : value.toLocaleString('en')}</span>

const COLUMNS: readonly Column<InstanceRow>[] = [
  {
    label: 'Instance',
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
  {
    label: 'Status',
    cell: ({ status, status_text, restriction }) => (
      <span title={status_text ?? ''}>
        <StatusBadge status={status} /> {restriction ? <span class="badge warn">Restricted</span> : null}
      </span>
    ),
  },
  { label: 'Number', cell: ({ phone }) => <span class="number">{phoneText(phone)}</span> },
  { label: 'Queue', isRight: true, cell: ({ queue }) => number(queue) },
  { label: 'Backlog', isRight: true, cell: ({ backlog }) => number(backlog) },
  { label: 'Last message in', cell: ({ last_inbound_at }) => <Ago at={last_inbound_at} none="–" /> },
]

const newestFirst = (a: InstanceRow, b: InstanceRow) => b.created_at.localeCompare(a.created_at) || a.id.localeCompare(b.id)

const matches = (q: string, status: string) => {
  const word = q.trim().toLowerCase()
  return (row: InstanceRow) =>
    (status === '' || row.status === status) &&
    (word === '' || [row.name, row.id, row.phone ?? '', row.profile_name ?? ''].some((text) => text.toLowerCase().includes(word)))
}

const Nothing = ({ isFiltered, onCreate }: { isFiltered: boolean; onCreate(): void }) =>
  isFiltered ? (
    <Empty
      title="No instance matches"
      actions={<Button onPress={() => setQuery({ q: '', status: '', page: '' })}>Show all</Button>}
    >
      The search covers names, numbers and ids.
    </Empty>
  ) : (
    <Empty
      title="No instances yet"
      actions={
        <Button look="primary" onPress={onCreate} needs="instances.create">
          Create the first instance
        </Button>
      }
    >
      An instance is one linked device of one number. Create one, scan its QR code with the phone, and send.
    </Empty>
  )

function List() {
  const { query } = route.value
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isCreating, setCreating] = useState(false)
  const [isImporting, setImporting] = useState(false)
  const q = query.get('q') ?? ''
  const status = query.get('status') ?? ''
  const all = [...rows.value.values()]
  const found = all.filter(matches(q, status)).sort(newestFirst)
  const page = Math.min(Number(query.get('page')) || 1, Math.max(1, Math.ceil(found.length / PAGE_SIZE)))
  const shown = found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
  const picked = all.filter(({ id }) => chosen.has(id))
  const counts = totals.value?.instances as Record<string, number> | undefined
  const states = STATUS_NAMES.map((name) => [name, `${statusText(name)}${counts ? ` (${counts[name] ?? 0})` : ''}`] as const)
  return (
    <div class="page">
      <header>
        <h1>Instances</h1>
        <span class="row">
          <Button onPress={() => setImporting(true)} needs="instances.move">
            Import
          </Button>
          <Button look="primary" onPress={() => setCreating(true)} needs="instances.create">
            Create instance
          </Button>
        </span>
      </header>
      <div class="filters">
        <Line
          label="Search"
          class="grow"
          type="search"
          value={q}
          placeholder="Name, number or id"
          onChange={(value) => setQuery({ q: value, page: '' })}
        />
        <Field label="Status">
          {(tied) => (
            <Choice
              tied={tied}
              value={status}
              none="Any"
              options={states}
              onChange={(value) => setQuery({ status: value, page: '' })}
            />
          )}
        </Field>
      </div>
      <section class="card flush" aria-label="Instances">
        {isComplete.value ? null : (
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
              name="Instances"
              rows={shown}
              columns={COLUMNS}
              keyOf={({ id }) => id}
              nameOf={({ name }) => name}
              chosen={chosen}
              onChoose={setChosen}
            />
            <Pager
              page={page}
              pageSize={PAGE_SIZE}
              total={found.length}
              what={['instance', 'instances']}
              onPage={(next) => setQuery({ page: next })}
            />
          </>
        ) : null}
        <ChosenBar instances={picked} onDone={() => setChosen(new Set())} />
      </section>
      {isImporting ? <ImportDialog onClose={() => setImporting(false)} /> : null}
      {isCreating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
    </div>
  )
}

export function InstancesPage() {
  const [, id] = route.value.path
  return id === undefined ? <List /> : <InstancePage key={id} id={id} />
}
