import { useState } from 'preact/hooks'
import { answer, api, of } from '../../api/client.ts'
import { useAction, useLoad } from '../../app/load.ts'
import { to } from '../../app/route.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Empty, Problem, Skeleton } from '../../parts/notice.tsx'
import { type Column, Pager, Table } from '../../parts/table.tsx'
import { Ago, At } from '../../parts/time.tsx'
import { count, Name, phoneText } from '../../parts/words.tsx'
import type { TabProps } from './tab.ts'

const PAGE_SIZE = 20

const load = (id: string, page: number) =>
  answer(
    api.GET('/instances/{instance_id}/token/{token}/queue', { params: { path: of(id), query: { page, page_size: PAGE_SIZE } } }),
  )

type Item = Awaited<ReturnType<typeof load>>['data'][number]

const REASONS: Record<string, string> = {
  pacing: 'Waits its turn',
  instance_not_connected: 'Waiting for the connection',
  restricted: 'Held by a restriction',
  send_at: 'Waits for its time',
  first_contact_budget: 'Waits for the budget',
  quiet_hours: 'Waits for the end of quiet hours',
  unanswered: 'Waits for an answer',
}

const columnsOf = (id: string, remove: (item: Item) => void): readonly Column<Item>[] => [
  { label: '#', isRight: true, cell: ({ position }) => <span class="number">{position}</span> },
  {
    label: 'To',
    isHead: true,
    cell: ({ phone, operation, message_id }) => (
      <>
        <a href={to(['timeline'], { instance: id, id: message_id })}>{phoneText(phone)}</a>
        <span class="under">{operation}</span>
      </>
    ),
  },
  {
    label: 'Begins with',
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
    label: 'State',
    cell: ({ status, waiting_reason, send_after }) =>
      status === 'processing' ? (
        <Badge look="good">Being sent</Badge>
      ) : (
        <>
          <Badge look={waiting_reason === 'send_at' ? '' : 'warn'}>{REASONS[waiting_reason ?? ''] ?? 'Waits'}</Badge>
          {send_after && waiting_reason !== 'pacing' ? (
            <span class="under">
              until <At at={send_after} />
            </span>
          ) : null}
        </>
      ),
  },
  { label: 'Queued', cell: ({ queued_at }) => <Ago at={queued_at} /> },
  { label: 'Given up', cell: ({ expires_at }) => <Ago at={expires_at} /> },
  {
    label: '',
    isRight: true,
    cell: (item) => (
      <Button isDangerous isDisabled={item.status === 'processing'} onPress={() => remove(item)} needs="queue.remove">
        Remove
      </Button>
    ),
  },
]

export function Queue({ row }: TabProps) {
  const { id } = row
  const [page, setPage] = useState(1)
  const [isClearing, setClearing] = useState(false)
  const { data, problem, reload } = useLoad(() => load(id, page), [id, page, row.queue])
  const remove = useAction(async ({ svc_id }: Item) => {
    await answer(
      api.DELETE('/instances/{instance_id}/token/{token}/queue/{svc_id}', { params: { path: { ...of(id), svc_id } } }),
    ).finally(reload)
    return 'Removed. The message will not be sent.'
  })
  return (
    <section class="card flush" aria-label="Queue">
      <header>
        <h2>Messages waiting</h2>
        <Button isDangerous isDisabled={!data || data.total === 0} onPress={() => setClearing(true)} needs="queue.remove">
          Clear the queue
        </Button>
        <p>
          Messages leave one at a time, in the order in which they were queued or, with a time of their own, in the order of these
          times. They survive a restart.
        </p>
      </header>
      <Problem of={problem ?? remove.problem} again={reload} />
      {!data && !problem ? (
        <div class="card-inside">
          <Skeleton />
        </div>
      ) : null}
      {data?.total === 0 ? (
        <Empty title="Nothing waits" actions={<a href={to(['instances', id])}>Send a message</a>}>
          Messages that are sent while the instance is offline wait here until it is connected again.
        </Empty>
      ) : null}
      {data && data.total > 0 ? (
        <>
          <Table
            name="Queue"
            rows={data.data}
            columns={columnsOf(id, (item) => remove.run(item))}
            keyOf={({ svc_id }) => svc_id}
          />
          <Pager page={page} pageSize={PAGE_SIZE} total={data.total} what={['message', 'messages']} onPage={setPage} />
        </>
      ) : null}
      {isClearing ? (
        <Confirm
          title="Clear the queue?"
          does="Clear"
          onClose={() => setClearing(false)}
          act={async () => {
            const { removed } = await answer(
              api.DELETE('/instances/{instance_id}/token/{token}/queue', { params: { path: of(id) } }),
            )
            reload()
            return `${count(removed, 'message')} removed.`
          }}
        >
          <p>
            {count(data?.total ?? 0, 'message')} will not be sent, and no event reports it. A message that is already being sent
            is not stopped.
          </p>
        </Confirm>
      ) : null}
    </section>
  )
}
