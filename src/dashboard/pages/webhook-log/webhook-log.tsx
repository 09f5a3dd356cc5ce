import { useEffect, useState } from 'preact/hooks'
import { EVENT_TYPES } from '../../../domain/events.ts'
import { LOG_STATUSES } from '../../../domain/webhook-log.ts'
import { delivered, rows } from '../../api/live.ts'
import { useLoad, useNews } from '../../app/load.ts'
import { route, setQuery, to } from '../../app/route.ts'
import { OutcomeBadge, outcomeText } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Choice, Field, Line } from '../../parts/field.tsx'
import { InstanceChoice } from '../../parts/instance-choice.tsx'
import { InstanceName } from '../../parts/instance-name.tsx'
import { Empty, Problem, Skeleton } from '../../parts/notice.tsx'
import { receiverAnswer } from '../../parts/receiver-answer.ts'
import { Sentence } from '../../parts/sentence.tsx'
import { type Column, Pager, Table } from '../../parts/table.tsx'
import { Ago, At, durationText, isoOf } from '../../parts/time.tsx'
import { Name, phoneText, visible } from '../../parts/words.tsx'
import { EVENT_WORDS } from '../../texts/field-words.ts'
import { t } from '../../texts/t.ts'
import { EventDialog } from './event.tsx'
import { eventName } from './event-name.ts'
import { type Entry, type Filter, loadLog, PAGE_SIZE } from './log.ts'
import { ReplayDialog } from './replay.tsx'
import { ChosenEvents } from './resend.tsx'

const LOOK_EVERY_MS = 2_500
/** Milliseconds without a keystroke after which the search begins. */
const TYPED_AFTER_MS = 400

function filterOf(query: URLSearchParams): Filter {
  const value = (name: string) => query.get(name) || undefined
  const moment = (name: string) => (query.get(name) ? isoOf(query.get(name) ?? '') : undefined)
  return {
    instance_id: value('instance'),
    q: value('q'),
    type: value('type'),
    status: value('status'),
    from: moment('from'),
    to: moment('to'),
  }
}

const nameOf = (id: string) => rows.value.get(id)?.name ?? id

const columnsOf = (open: (id: string) => void): readonly Column<Entry>[] => [
  {
    label: t('Event'),
    isHead: true,
    cell: ({ id, type, state, phone, instance_id }) => (
      <span class="break">
        <Button
          look="link"
          onPress={() => open(id)}
          label={t('{event} of {instance}: attempts and body', { event: eventName(type, state), instance: nameOf(instance_id) })}
        >
          {eventName(type, state)}
        </Button>{' '}
        <code title={EVENT_WORDS[type]}>{type}</code>
        <span class="under">
          {phone ? (
            <>
              <Name>{phoneText(phone)}</Name> ·{' '}
            </>
          ) : null}
          <InstanceName id={instance_id} />
        </span>
      </span>
    ),
  },
  { label: t('Outcome'), cell: ({ status, attempts }) => <OutcomeBadge status={status} attempts={attempts} /> },
  {
    label: t('Last answer'),
    cell: ({ last_response_code, last_error, last_duration_ms, last_response_body }) => (
      <span>
        {receiverAnswer({ code: last_response_code, error: last_error })}
        <span class="under number">{durationText(last_duration_ms)}</span>
        {last_response_body ? <span class="under begins">{visible(last_response_body)}</span> : null}
      </span>
    ),
  },
  { label: t('Attempts'), isRight: true, cell: ({ attempts }) => <span class="number">{attempts}</span> },
  {
    label: t('Sent to'),
    cell: ({ url }) => (
      <Name class="address break" title={url}>
        {url}
      </Name>
    ),
  },
  {
    label: t('Happened'),
    cell: ({ created_at, next_attempt_at }) => (
      <span>
        <Ago at={created_at} />
        {next_attempt_at ? (
          <span class="under">
            {t('next try')} <Ago at={next_attempt_at} />
          </span>
        ) : null}
      </span>
    ),
  },
]

function Search({ value, onChange }: { value: string; onChange(next: string): void }) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return undefined
    const timer = setTimeout(() => onChange(text), TYPED_AFTER_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <Line
      label={t('Search')}
      class="grow"
      type="search"
      value={text}
      placeholder={t('HTTP 500, a word of an answer, a number')}
      maxLength={100}
      onChange={setText}
    />
  )
}

function Filters({ query }: { query: URLSearchParams }) {
  const value = (name: string) => query.get(name) ?? ''
  const change = (name: string) => (next: string) => setQuery({ [name]: next, page: '', further: '' })
  const choices = [
    ['type', t('Type'), EVENT_TYPES.map((type) => [type, EVENT_WORDS[type]] as const)],
    ['status', t('Outcome'), LOG_STATUSES.map((status) => [status, outcomeText(status)] as const)],
  ] as const
  return (
    <div class="filters">
      <Search value={value('q')} onChange={change('q')} />
      <InstanceChoice value={value('instance')} none={t('Any')} onChange={change('instance')} />
      {choices.map(([name, label, options]) => (
        <Field key={name} label={label}>
          {(tied) => <Choice tied={tied} value={value(name)} none={t('Any')} options={options} onChange={change(name)} />}
        </Field>
      ))}
      <Line label={t('From')} class="moment" type="datetime-local" value={value('from')} onChange={change('from')} />
      <Line label={t('To')} class="moment" type="datetime-local" value={value('to')} onChange={change('to')} />
    </div>
  )
}

const CLEARED = { q: '', instance: '', type: '', status: '', from: '', to: '', page: '', further: '' }

const Nothing = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title={t('No event fits')} actions={<Button onPress={() => setQuery(CLEARED)}>{t('Show all')}</Button>}>
      {t('Entries are kept for seven days.')}
    </Empty>
  ) : (
    <Empty title={t('No events yet')} actions={<a href={to(['instances'])}>{t('Instances')}</a>}>
      {t(
        'Set a webhook URL for an instance (Instances, then the instance, then Webhooks). This page then lists every event with the answer of your program.',
      )}
    </Empty>
  )

const Further = ({ to }: { to: string }) => (
  <div class="card-inside row between">
    <span class="soft">
      <Sentence text="Searched back to {time}." elements={{ time: <At at={to} /> }} />
    </span>
    <Button onPress={() => setQuery({ further: to, page: '' })}>{t('Search further')}</Button>
  </div>
)

export function WebhookLogPage() {
  const { query, path } = route.value
  const filter = filterOf(query)
  /**
   * The listed range. A further search begins where the previous search ended, but a resend still covers the whole
   * range.
   */
  const listed = { ...filter, to: query.get('further') ?? filter.to }
  const page = Number(query.get('page')) || 1
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isReplaying, setReplaying] = useState(false)
  const { data, problem, reload } = useLoad((signal) => loadLog(listed, page, { signal }), [JSON.stringify(listed), page])
  useNews(LOOK_EVERY_MS, [delivered], () => {
    // A search reads many rows, so it is repeated only when the user asks for it.
    if (filter.q === undefined) reload()
  })
  const open = (id: string | undefined) => setQuery({ event: id })
  const opened = query.get('event')
  return (
    <div class="page">
      <header>
        <h1>{t('Webhook log')}</h1>
        <Button onPress={() => setReplaying(true)} needs="log.resend">
          {t('Resend a range')}
        </Button>
      </header>
      <Filters query={query} />
      <Problem of={problem} again={reload} />
      <section class="card flush" aria-label={t('Events')}>
        {!data && !problem ? (
          <div class="card-inside">
            <Skeleton />
          </div>
        ) : null}
        {data?.total === 0 ? <Nothing isFiltered={Object.values(listed).some(Boolean)} /> : null}
        {data && data.total > 0 ? (
          <>
            <Table
              name={t('Events')}
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
        {data?.searched_to ? <Further to={data.searched_to} /> : null}
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
