/** Webhook log: events and their outcomes, and sending them again. */

import { useEffect, useRef, useState } from 'preact/hooks'
import { EVENT_TYPES } from '../../../domain/events.ts'
import { instanceChoices } from '../../../domain/instance-choices.ts'
import { LOG_STATUSES } from '../../../domain/webhook-log.ts'
import { delivered, rows } from '../../api/live.ts'
import { useEvery, useLoad } from '../../app/load.ts'
import { route, setQuery, to } from '../../app/route.ts'
import { OutcomeBadge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Choice, Field, Line } from '../../parts/field.tsx'
import { InstanceName } from '../../parts/instance-name.tsx'
import { Empty, Problem, Skeleton } from '../../parts/notice.tsx'
import { type Column, Pager, Table } from '../../parts/table.tsx'
import { Ago, durationText, isoOf } from '../../parts/time.tsx'
import { Name, readable } from '../../parts/words.tsx'
import { EventDialog } from './event.tsx'
import { type Entry, type Filter, loadLog, PAGE_SIZE } from './log.ts'
import { ReplayDialog } from './replay.tsx'
import { ChosenEvents } from './resend.tsx'

const LOOK_EVERY_MS = 2_500

function filterOf(query: URLSearchParams): Filter {
  const value = (name: string) => query.get(name) || undefined
  const moment = (name: string) => (query.get(name) ? isoOf(query.get(name) ?? '') : undefined)
  return {
    instance_id: value('instance'),
    type: value('type'),
    status: value('status'),
    from: moment('from'),
    to: moment('to'),
  }
}

const nameOf = (id: string) => rows.value.get(id)?.name ?? id

const columnsOf = (open: (id: string) => void): readonly Column<Entry>[] => [
  {
    label: 'Event',
    isHead: true,
    cell: ({ id, type, instance_id }) => (
      <span class="break">
        <Button look="link" onPress={() => open(id)} label={`${type} of ${nameOf(instance_id)}: attempts and body`}>
          {type}
        </Button>
        <span class="under">
          <InstanceName id={instance_id} />
        </span>
      </span>
    ),
  },
  { label: 'Outcome', cell: ({ status, attempts }) => <OutcomeBadge status={status} attempts={attempts} /> },
  {
    label: 'Last answer',
    cell: ({ last_response_code, last_error, last_duration_ms }) => (
      <span>
        <span class="number">{last_error ?? (last_response_code ? `HTTP ${last_response_code}` : '–')}</span>
        <span class="under number">{durationText(last_duration_ms)}</span>
      </span>
    ),
  },
  { label: 'Attempts', isRight: true, cell: ({ attempts }) => <span class="number">{attempts}</span> },
  { label: 'To', cell: ({ url }) => <Name class="url break">{url}</Name> },
  {
    label: 'Happened',
    cell: ({ created_at, next_attempt_at }) => (
      <span>
        <Ago at={created_at} />
        {next_attempt_at ? (
          <span class="under">
            next try <Ago at={next_attempt_at} />
          </span>
        ) : null}
      </span>
    ),
  },
]

function Filters({ query }: { query: URLSearchParams }) {
  const value = (name: string) => query.get(name) ?? ''
  const change = (name: string) => (next: string) => setQuery({ [name]: next, page: '' })
  const instances = instanceChoices(rows.value.values())
  const choices = [
    ['instance', 'Instance', instances],
    ['type', 'Type', EVENT_TYPES.map((type) => [type, type] as const)],
    ['status', 'Outcome', LOG_STATUSES.map((status) => [status, readable(status)] as const)],
  ] as const
  return (
    <div class="filters">
      {choices.map(([name, label, options]) => (
        <Field key={name} label={label}>
          {(tied) => <Choice tied={tied} value={value(name)} none="Any" options={options} onChange={change(name)} />}
        </Field>
      ))}
      <Line label="From" type="datetime-local" value={value('from')} onChange={change('from')} />
      <Line label="To" type="datetime-local" value={value('to')} onChange={change('to')} />
    </div>
  )
}

const CLEARED = { instance: '', type: '', status: '', from: '', to: '', page: '' }

const Nothing = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No event fits" actions={<Button onPress={() => setQuery(CLEARED)}>Show all</Button>}>
      Entries are kept for seven days.
    </Empty>
  ) : (
    <Empty title="No events yet" actions={<a href={to(['instances'])}>Instances</a>}>
      Set a webhook URL for an instance (Instances, then the instance, then Webhooks). This page then lists every event with the
      answer of your program.
    </Empty>
  )

export function WebhookLogPage() {
  const { query, path } = route.value
  const filter = filterOf(query)
  const page = Number(query.get('page')) || 1
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isReplaying, setReplaying] = useState(false)
  const { data, problem, reload } = useLoad(() => loadLog(filter, page), [JSON.stringify(filter), page])
  // Reloads after deliveries, but not for each of them.
  const news = useRef(false)
  useEffect(
    () =>
      delivered.subscribe(() => {
        news.current = true
      }),
    [],
  )
  useEvery(LOOK_EVERY_MS, () => {
    if (news.current) reload()
    news.current = false
  })
  const open = (id: string | undefined) => setQuery({ event: id })
  const opened = query.get('event')
  return (
    <div class="page">
      <header>
        <h1>Webhook log</h1>
        <Button onPress={() => setReplaying(true)} needs="log.resend">
          Resend a range
        </Button>
      </header>
      <Filters query={query} />
      <Problem of={problem} again={reload} />
      <section class="card flush" aria-label="Events">
        {!data && !problem ? (
          <div class="card-inside">
            <Skeleton />
          </div>
        ) : null}
        {data?.total === 0 ? <Nothing isFiltered={Object.values(filter).some(Boolean)} /> : null}
        {data && data.total > 0 ? (
          <>
            <Table
              name="Events"
              rows={data.data}
              columns={columnsOf(open)}
              keyOf={({ id }) => id}
              nameOf={({ type, id }) => `${type} ${id}`}
              chosen={chosen}
              onChoose={setChosen}
            />
            <Pager
              page={page}
              pageSize={PAGE_SIZE}
              total={data.total}
              what={['event', 'events']}
              onPage={(next) => setQuery({ page: next })}
            />
          </>
        ) : null}
        <ChosenEvents
          ids={[...chosen]}
          onDone={() => {
            setChosen(new Set())
            reload()
          }}
        />
      </section>
      {isReplaying ? <ReplayDialog filter={filter} onClose={() => setReplaying(false)} onDone={reload} /> : null}
      {opened && path[0] === 'webhook-log' ? (
        <EventDialog key={opened} id={opened} onClose={() => open(undefined)} onResent={reload} />
      ) : null}
    </div>
  )
}
