import { useState } from 'preact/hooks'
import { answer, api, of } from '../../api/client.ts'
import { Refused } from '../../api/refused.ts'
import { useLoad } from '../../app/load.ts'
import { to } from '../../app/route.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { kindText } from '../../parts/message-state.tsx'
import { Empty, Problem, Skeleton } from '../../parts/notice.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { type Column, Pager, Table } from '../../parts/table.tsx'
import { Ago, At, durationText } from '../../parts/time.tsx'
import { Name, phoneText } from '../../parts/words.tsx'
import { count, t } from '../../texts/t.ts'
import { isLinked } from './state/is-linked.ts'
import type { TabProps } from './tab.ts'

const PAGE_SIZE = 20

const load = (id: string, page: number) =>
  answer(
    api.GET('/instances/{instance_id}/token/{token}/queue', { params: { path: of(id), query: { page, page_size: PAGE_SIZE } } }),
  )

const removeItem = (id: string, svc_id: string) =>
  answer(api.DELETE('/instances/{instance_id}/token/{token}/queue/{svc_id}', { params: { path: { ...of(id), svc_id } } }))

function ignoreGone(error: unknown) {
  if (!(error instanceof Refused && error.status === 404)) throw error
}

type Item = Awaited<ReturnType<typeof load>>['data'][number]

const REASONS: Record<string, string> = {
  pacing: t('Waits its turn'),
  instance_not_connected: t('Waiting for the connection'),
  restricted: t('Held by a restriction'),
  send_at: t('Waits for its time'),
  first_contact_budget: t('Waits for the budget'),
  quiet_hours: t('Waits for the end of quiet hours'),
  unanswered: t('Waits for an answer'),
}

interface EstimateProps extends TabProps {
  total: number
  items: readonly Item[]
}

/**
 * Shows how long the queue takes. Shows nothing if the instance is not connected, or if a listed message waits for
 * anything other than the pace, because that time is not known.
 */
function Estimate({ total, items, row, instance }: EstimateProps) {
  const { delay_message_min_ms: min, delay_message_max_ms: max } = instance.data.settings
  const isPaced = items.every(({ waiting_reason: reason }) => reason === null || reason === 'pacing')
  if (row.status !== 'connected' || !isPaced) return null
  return <p>{t('At its pace, the whole queue takes about {time}.', { time: durationText((total * (min + max)) / 2) })}</p>
}

const columnsOf = (id: string, remove: (item: Item) => void): readonly Column<Item>[] => [
  { label: '#', isRight: true, cell: ({ position }) => <span class="number">{position}</span> },
  {
    label: t('To'),
    isHead: true,
    cell: ({ phone, operation, message_id }) => (
      <>
        <a href={to(['timeline'], { instance: id, id: message_id })}>{phoneText(phone)}</a>
        <span class="under">{kindText(operation)}</span>
      </>
    ),
  },
  {
    label: t('Begins with'),
    cell: ({ preview }) =>
      preview ? (
        <span class="break">
          <Name>{preview}</Name>
        </span>
      ) : (
        <span class="soft">–</span>
      ),
  },
  {
    label: t('State'),
    cell: ({ status, waiting_reason, send_after }) =>
      status === 'processing' ? (
        <Badge look="good">{t('Being sent')}</Badge>
      ) : (
        <>
          <Badge look={waiting_reason === 'send_at' ? '' : 'warn'}>{REASONS[waiting_reason ?? ''] ?? t('Waits')}</Badge>
          {send_after && waiting_reason !== 'pacing' ? (
            <span class="under">
              <Sentence text="until {time}" elements={{ time: <At at={send_after} /> }} />
            </span>
          ) : null}
        </>
      ),
  },
  { label: t('Queued'), cell: ({ queued_at }) => <Ago at={queued_at} /> },
  { label: t('Expires'), cell: ({ expires_at }) => <Ago at={expires_at} /> },
  {
    label: '',
    isRight: true,
    cell: (item) => (
      <Button
        isDangerous
        isDisabled={item.status === 'processing'}
        label={t('Remove message {n}, to {phone}', { n: item.position, phone: phoneText(item.phone) })}
        onPress={() => remove(item)}
        needs="queue.remove"
      >
        {t('Remove')}
      </Button>
    ),
  },
]

interface RemoveProps {
  id: string
  removed: readonly string[]
  onDone(): void
  onClose(): void
}

/**
 * Asks before messages are removed. If a message was sent in the meantime, it is already gone, which is not a failure.
 */
function RemoveItems({ id, removed, onDone, onClose }: RemoveProps) {
  const messages = count(removed.length, 'message', 'messages')
  return (
    <Confirm
      title={t('Remove {messages} from the queue?', { messages })}
      does={t('Remove')}
      onClose={onClose}
      act={async () => {
        for (const svc_id of removed) await removeItem(id, svc_id).catch(ignoreGone)
        onDone()
        return removed.length === 1 ? t('Removed. The message will not be sent.') : t('Removed. The messages will not be sent.')
      }}
    >
      <p>
        {t('{messages} will not be sent, and no event reports it. A message that is already being sent is not stopped.', {
          messages,
        })}
      </p>
    </Confirm>
  )
}

export function Queue({ row, instance }: TabProps) {
  const { id } = row
  const [page, setPage] = useState(1)
  const [isClearing, setClearing] = useState(false)
  const { data, problem, reload } = useLoad(() => load(id, page), [id, page, row.queue])
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [removed, setRemoved] = useState<readonly string[]>()
  const waiting = new Set([...chosen].filter((each) => data?.data.some(({ svc_id }) => svc_id === each)))
  return (
    <section class="card flush" aria-label={t('Queue')}>
      <header>
        <h2>{t('Messages waiting')}</h2>
        <Button isDangerous isDisabled={!data || data.total === 0} onPress={() => setClearing(true)} needs="queue.remove">
          {t('Clear the queue')}
        </Button>
        {data && data.total > 0 ? <Estimate total={data.total} items={data.data} row={row} instance={instance} /> : null}
        <p>
          {t(
            'Messages leave one at a time, in the order in which they were queued or, with a time of their own, in the order of these times. They survive a restart.',
          )}
        </p>
      </header>
      <Problem of={problem} again={reload} />
      {!data && !problem ? (
        <div class="card-inside">
          <Skeleton />
        </div>
      ) : null}
      {data?.total === 0 ? (
        <Empty
          title={t('Nothing waits')}
          actions={isLinked(row) ? <a href={to(['instances', id])}>{t('Send a message')}</a> : null}
        >
          {t('Messages that are sent while the instance is offline wait here until it is connected again.')}
        </Empty>
      ) : null}
      {data && data.total > 0 ? (
        <>
          <Table
            name={t('Queue')}
            rows={data.data}
            columns={columnsOf(id, ({ svc_id }) => setRemoved([svc_id]))}
            keyOf={({ svc_id }) => svc_id}
            nameOf={({ phone, position }) => `${position}, ${phoneText(phone)}`}
            chosen={waiting}
            onChoose={setChosen}
          />
          {waiting.size === 0 ? null : (
            <div class="chosen">
              <strong>{t('{messages} chosen', { messages: count(waiting.size, 'message', 'messages') })}</strong>
              <Button isDangerous onPress={() => setRemoved([...waiting])} needs="queue.remove">
                {t('Remove')}
              </Button>
            </div>
          )}
          <Pager page={page} pageSize={PAGE_SIZE} total={data.total} what={['message', 'messages']} onPage={setPage} />
        </>
      ) : null}
      {removed ? (
        <RemoveItems
          id={id}
          removed={removed}
          onClose={() => setRemoved(undefined)}
          onDone={() => {
            setChosen(new Set())
            reload()
          }}
        />
      ) : null}
      {isClearing ? (
        <Confirm
          title={t('Clear the queue?')}
          does={t('Clear')}
          onClose={() => setClearing(false)}
          act={async () => {
            const { removed } = await answer(
              api.DELETE('/instances/{instance_id}/token/{token}/queue', { params: { path: of(id) } }),
            )
            reload()
            return t('Removed: {messages}.', { messages: count(removed, 'message', 'messages') })
          }}
        >
          <p>
            {t('{messages} will not be sent, and no event reports it. A message that is already being sent is not stopped.', {
              messages: count(data?.total ?? 0, 'message', 'messages'),
            })}
          </p>
        </Confirm>
      ) : null}
    </section>
  )
}
