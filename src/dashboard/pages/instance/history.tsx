import { lastDay } from '../../../domain/connected-day.ts'
import type { InstanceRow, StatusChange } from '../../../domain/dashboard.ts'
import { stateOf } from '../../../domain/instance-list.ts'
import { ask } from '../../api/client.ts'
import { useLoad } from '../../app/load.ts'
import { stateLook, stateText } from '../../parts/badge.tsx'
import { Empty, Problem, Skeleton } from '../../parts/notice.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { Ago, At, withLocalTimes } from '../../parts/time.tsx'
import { ofService, t } from '../../texts/t.ts'

const SHOWN = 12

type WasConnected = Pick<InstanceRow, 'was_connected'>

function Change({ change: { at, to, reason, text }, was_connected }: WasConnected & { change: StatusChange }) {
  const state = stateOf({ status: to, status_reason: reason, was_connected })
  return (
    <li class={stateLook(state)}>
      <strong>{stateText(state)}</strong>
      <small>
        <At at={at} />
      </small>
      {text ? <span>{withLocalTimes(ofService(text))}</span> : null}
    </li>
  )
}

/**
 * States through which an instance passes on the way to another state. An instance that reconnects often has hundreds
 * of such changes.
 */
const ON_THE_WAY: ReadonlySet<string> = new Set(['created', 'starting', 'connecting'])

/**
 * Groups successive changes to states on the way. The newest change is in a group of its own, because it shows the
 * present state.
 */
function grouped(changes: readonly StatusChange[]): StatusChange[][] {
  const groups: StatusChange[][] = []
  for (const [at, change] of changes.entries()) {
    const last = groups.at(-1)
    if (at > 1 && last && ON_THE_WAY.has(change.to) && ON_THE_WAY.has(last[0]!.to)) last.push(change)
    else groups.push([change])
  }
  return groups
}

const Group = ({ changes, was_connected }: WasConnected & { changes: readonly StatusChange[] }) =>
  changes.length === 1 ? (
    <Change change={changes[0]!} was_connected={was_connected} />
  ) : (
    <li>
      <details class="answer">
        <summary>{t('{n} steps on the way', { n: changes.length })}</summary>
        <ol class="steps">
          {changes.map((change) => (
            <Change key={`${change.at}${change.to}`} change={change} was_connected={was_connected} />
          ))}
        </ol>
      </details>
    </li>
  )

const WIDTH = 1_000

/**
 * Returns a share in whole percent, rounded down. A little is added first, because a sum of fractions may be slightly
 * less than one.
 */
const percentOf = (share: number) => Math.floor(share * 100 + 1e-6)

const BEGINS = {
  day: 'Last 24 hours: connected for {n} %',
  paired: 'Since it was paired, {ago}: connected for {n} %',
  known: 'Since {time}: connected for {n} %',
} as const

/** Shows how long the instance was connected in the last 24 hours, and when it was not. */
function Day({ changes }: { changes: readonly StatusChange[] }) {
  const day = lastDay(changes, Date.now())
  if (!day) return null
  const { begins, since, parts } = day
  const at = new Date(since).toISOString()
  const share = parts.reduce((sum, { from, to, status }) => sum + (status === 'connected' ? to - from : 0), 0)
  return (
    <div class="day">
      <small>
        <Sentence text={BEGINS[begins]} elements={{ n: percentOf(share), ago: <Ago at={at} />, time: <At at={at} /> }} />
      </small>
      <svg viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
        <rect width={WIDTH} height="10" />
        {parts.map(({ from, to, status }) => (
          <rect key={from} class={stateLook(status)} x={from * WIDTH} width={(to - from) * WIDTH} height="10" />
        ))}
      </svg>
    </div>
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
      {data && row.was_connected ? <Day changes={data.data} /> : null}
      {data && data.data.length > 0 ? (
        <ol class="steps">
          {grouped(data.data)
            .slice(0, SHOWN)
            .map((changes) => (
              <Group key={`${changes[0]!.at}${changes[0]!.to}`} changes={changes} was_connected={row.was_connected} />
            ))}
        </ol>
      ) : null}
    </section>
  )
}
