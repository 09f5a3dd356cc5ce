import type { InstanceRow, StatusChange } from '../../../domain/dashboard.ts'
import { stateOf } from '../../../domain/instance-list.ts'
import { ask } from '../../api/client.ts'
import { useLoad } from '../../app/load.ts'
import { stateLook, stateText } from '../../parts/badge.tsx'
import { Empty, Problem, Skeleton } from '../../parts/notice.tsx'
import { At } from '../../parts/time.tsx'
import { ofService, t } from '../../texts/t.ts'

const SHOWN = 12

const stateAfter = ({ to, reason }: StatusChange) => stateOf({ status: to, status_reason: reason, was_connected: true })

function Change({ change }: { change: StatusChange }) {
  const state = stateAfter(change)
  return (
    <li class={stateLook(state)}>
      <strong>{stateText(state)}</strong>
      <small>
        <At at={change.at} />
      </small>
      {change.text ? <span>{ofService(change.text)}</span> : null}
    </li>
  )
}

export function History({ row }: { row: InstanceRow }) {
  const { data, problem, reload } = useLoad(
    () => ask<{ data: StatusChange[] }>('GET', `api/instances/${row.id}/history`),
    [row.id, row.status, row.status_reason],
  )
  return (
    <section class="card">
      <header>
        <h2>{t('Status history')}</h2>
      </header>
      <Problem of={problem} again={reload} />
      {!data && !problem ? <Skeleton lines={3} /> : null}
      {data?.data.length === 0 ? (
        <Empty title={t('Nothing happened yet')}>{t('Start a session to see it connect.')}</Empty>
      ) : null}
      {data && data.data.length > 0 ? (
        <ol class="steps">
          {data.data.slice(0, SHOWN).map((change) => (
            <Change key={`${change.at}${change.to}`} change={change} />
          ))}
        </ol>
      ) : null}
    </section>
  )
}
