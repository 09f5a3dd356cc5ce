import type { InstanceRow, StatusChange } from '../../../domain/dashboard.ts'
import { ask } from '../../api/client.ts'
import { useLoad } from '../../app/load.ts'
import { statusText } from '../../parts/badge.tsx'
import { Empty, Problem, Skeleton } from '../../parts/notice.tsx'
import { At } from '../../parts/time.tsx'

const SHOWN = 12

const LOOKS: Record<string, string> = { connected: 'good', banned: 'bad', logged_out: 'bad', stopped: 'bad' }

export function History({ row }: { row: InstanceRow }) {
  const { data, problem, reload } = useLoad(
    () => ask<{ data: StatusChange[] }>('GET', `api/instances/${row.id}/history`),
    [row.id, row.status, row.status_reason],
  )
  return (
    <section class="card">
      <header>
        <h2>Status history</h2>
      </header>
      <Problem of={problem} again={reload} />
      {!data && !problem ? <Skeleton lines={3} /> : null}
      {data?.data.length === 0 ? <Empty title="Nothing happened yet">Start a session to see it connect.</Empty> : null}
      {data && data.data.length > 0 ? (
        <ol class="steps">
          {data.data.slice(0, SHOWN).map(({ at, to, text }) => (
            <li key={`${at}${to}`} class={LOOKS[to] ?? ''}>
              <strong>{statusText(to)}</strong>
              <small>
                <At at={at} />
              </small>
              {text ? <span>{text}</span> : null}
            </li>
          ))}
        </ol>
      ) : null}
    </section>
  )
}
