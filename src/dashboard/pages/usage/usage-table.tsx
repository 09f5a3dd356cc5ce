import { answer, api } from '../../api/client.ts'
import { to } from '../../app/route.ts'
import type { paths } from '../../generated/description.d.ts'
import { InstanceName } from '../../parts/instance-name.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Ago, durationText } from '../../parts/time.tsx'
import { bytesText } from '../../parts/words.tsx'
import { formats } from '../../texts/language.ts'
import { t } from '../../texts/t.ts'

type Operation = paths['/account/usage']['get']
export type UsagePage = Operation['responses']['200']['content']['application/json']
export type UsageQuery = NonNullable<Operation['parameters']['query']>
type Row = UsagePage['data'][number]

export const loadUsage = (query: UsageQuery) => answer(api.GET('/account/usage', { params: { query } }))

const numberOf = (value: number | null) => <span class="number">{value === null ? '–' : value.toLocaleString(formats)}</span>
const lastOf = (at: string | null) => (at === null ? '' : <Ago at={at} />)

const COLUMNS: readonly Column<Row>[] = [
  {
    label: t('Instance'),
    isHead: true,
    cell: ({ instance_id, name }) => (
      <a href={to(['instances', instance_id])}>
        <InstanceName id={instance_id} fallback={name} />
      </a>
    ),
  },
  {
    label: t('Processor'),
    isRight: true,
    cell: ({ cpu_percent, cpu_ms }) => (
      <span>
        <span class="number">{durationText(cpu_ms)}</span>
        <span class="under number">{cpu_percent.toLocaleString(formats)} %</span>
      </span>
    ),
  },
  {
    label: t('Kept in memory'),
    isRight: true,
    cell: ({ memory_bytes }) => <span class="number">{bytesText(memory_bytes)}</span>,
  },
  {
    label: t('Messages sent'),
    isRight: true,
    cell: ({ sent, last_sent_at }) => (
      <span>
        {numberOf(sent)}
        <span class="under">{lastOf(last_sent_at)}</span>
      </span>
    ),
  },
  {
    label: t('Messages received'),
    isRight: true,
    cell: ({ received, last_received_at }) => (
      <span>
        {numberOf(received)}
        <span class="under">{lastOf(last_received_at)}</span>
      </span>
    ),
  },
  { label: t('Messages waiting'), isRight: true, cell: ({ queue }) => numberOf(queue) },
  { label: t('Events waiting'), isRight: true, cell: ({ backlog }) => numberOf(backlog) },
  { label: t('Reconnections'), isRight: true, cell: ({ reconnects }) => numberOf(reconnects) },
]

export const UsageTable = ({ rows, name }: { rows: readonly Row[]; name: string }) => (
  <Table name={name} rows={rows} columns={COLUMNS} keyOf={({ instance_id }) => instance_id} />
)
