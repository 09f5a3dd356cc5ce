import { useState } from 'preact/hooks'
import type { MessageRow } from '../../../domain/dashboard.ts'
import { delivered, rows as instances } from '../../api/live.ts'
import { whyNot } from '../../api/rights.ts'
import { useLoad, useNews } from '../../app/load.ts'
import { route, setQuery, to } from '../../app/route.ts'
import { Line } from '../../parts/field.tsx'
import { chosenInstance, InstanceChoice, NoInstances } from '../../parts/instance-choice.tsx'
import { kindText, MessageBadge } from '../../parts/message-state.tsx'
import { Empty, Problem, Skeleton } from '../../parts/notice.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { t } from '../../texts/t.ts'
import { Conversation } from './conversation.tsx'
import { isOf, loadMessages } from './messages.ts'
import { Author, Person } from './person.tsx'

/** Least time in ms between two loads. The interval is long, because a list is made from many rows of the log. */
const LOOK_EVERY_MS = 10_000
const SHOWN = 50

/** Link to the event of a received message, because a received message has no timeline. */
const EventOf = ({ instance, id }: { instance: string; id: string }) =>
  whyNot('log.see') === undefined ? (
    <a href={to(['webhook-log'], { instance, q: id })} aria-label={t('In the webhook log: {id}', { id })}>
      {t('Webhook log')}
    </a>
  ) : null

const columnsOf = (instance: string): readonly Column<MessageRow>[] => [
  {
    label: t('Person'),
    isHead: true,
    cell: ({ phone, chat_name, ...row }) => (
      <span class="break">
        <a href={to(['messages'], { instance, chat: phone })}>
          <Person name={chat_name} phone={phone} />
        </a>
        <span class="under">
          <Author {...row} />
        </span>
      </span>
    ),
  },
  {
    label: t('Message'),
    cell: ({ from_me, kind }) => (
      <span>
        <span class="soft">{from_me ? t('Out') : t('In')}</span> {kindText(kind)}
      </span>
    ),
  },
  { label: t('State'), cell: ({ state }) => <MessageBadge state={state} /> },
  { label: t('When'), cell: ({ at }) => <Ago at={at} /> },
  {
    label: '',
    isRight: true,
    cell: ({ from_me, message_id }) =>
      from_me ? (
        <a href={to(['timeline'], { instance, id: message_id })} aria-label={t('Timeline: {id}', { id: message_id })}>
          {t('Timeline')}
        </a>
      ) : (
        <EventOf instance={instance} id={message_id} />
      ),
  },
]

function Newest({ instance, rows, text }: { instance: string; rows: readonly MessageRow[]; text: string }) {
  const found = text.trim() === '' ? rows : rows.filter((row) => isOf(row, text))
  return (
    <section class="card flush" aria-label={t('Messages')}>
      {found.length === 0 ? (
        <Empty title={rows.length === 0 ? t('No messages yet') : t('No message fits')}>
          {rows.length === 0
            ? t('Messages that this instance sends and receives are listed here, as soon as they come.')
            : t('The search compares names and numbers. It does not read what the messages say.')}
        </Empty>
      ) : (
        <Table name={t('Messages')} rows={found} columns={columnsOf(instance)} keyOf={({ message_id }) => message_id} />
      )}
    </section>
  )
}

function Messages({ instance, chat, text }: { instance: string; chat: string | undefined; text: string }) {
  const { data, problem, reload } = useLoad(() => loadMessages(instance, chat, SHOWN), [instance, chat])
  useNews(LOOK_EVERY_MS, [delivered, instances], reload)
  return (
    <>
      <Problem of={problem} again={reload} />
      {!data && !problem ? <Skeleton /> : null}
      {data && chat ? <Conversation instance={instance} chat={chat} rows={data.data} /> : null}
      {data && !chat ? <Newest instance={instance} rows={data.data} text={text} /> : null}
    </>
  )
}

export function MessagesPage() {
  const { query } = route.value
  const instance = chosenInstance()
  const chat = query.get('chat') ?? undefined
  const [text, setText] = useState('')
  return (
    <div class="page">
      <header>
        <h1>{t('Messages')}</h1>
        {instance !== '' && whyNot('instances.send') === undefined ? (
          <a class="button" href={to(['instances', instance])}>
            {t('Send a message')}
          </a>
        ) : null}
        <p class="lead">
          {t(
            'The newest messages of an instance, from the memory of the service, the queue and the webhook log. Nothing is stored for this page.',
          )}
        </p>
      </header>
      <div class="filters">
        <InstanceChoice value={instance} onChange={(next) => setQuery({ instance: next, chat: undefined })} />
        {chat === undefined ? (
          <Line label={t('Search')} type="search" value={text} placeholder={t('A name or a number')} onChange={setText} />
        ) : null}
      </div>
      {instance === '' ? <NoInstances /> : <Messages key={`${instance} ${chat}`} instance={instance} chat={chat} text={text} />}
    </div>
  )
}
