import { useState } from 'preact/hooks'
import type { Activity as Data } from '../../../domain/dashboard.ts'
import { ask } from '../../api/client.ts'
import { useEvery, useLoad } from '../../app/load.ts'
import { Chart } from '../../parts/chart.tsx'
import { Chips } from '../../parts/chips.tsx'
import { formats } from '../../texts/language.ts'
import { t } from '../../texts/t.ts'
import { hasPartHours, type Span, spansOf, type Window } from './spans.ts'

const LOOK_EVERY_MS = 60_000

const WINDOWS: readonly (readonly [Window, string])[] = [
  ['day', t('Last day')],
  ['week', t('Last week')],
]

const CHARTS = [
  { title: t('Messages sent'), line: 'sent', name: t('received'), other: 'received' },
  { title: t('Webhooks delivered'), line: 'delivered', name: t('failed attempts'), other: 'failed' },
] as const

const hour = new Intl.DateTimeFormat(formats, { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const day = new Intl.DateTimeFormat(formats, { weekday: 'short', day: 'numeric', month: 'short' })
const textOf = (window: Window, { at }: Span) => (window === 'day' ? hour : day).format(at)

export function Activity({ id }: { id?: string }) {
  const [window, setWindow] = useState<Window>('week')
  const of = id === undefined ? '' : `?instance_id=${id}`
  const { data, reload } = useLoad(() => ask<Data>('GET', `api/activity${of}`), [id])
  useEvery(LOOK_EVERY_MS, reload)
  if (!data) return null
  const now = Date.now()
  const spans = spansOf(data.hours, window, now)
  return (
    <section class="activity" aria-label={t('Activity')}>
      <Chips label={t('Time')} value={window} options={WINDOWS} onChange={(next) => setWindow(next)} />
      {window === 'week' && hasPartHours(now) ? (
        <p class="soft">
          {t('Counts are kept by the hour. In your time zone, the first minutes of a day are counted with the day before.')}
        </p>
      ) : null}
      <div class="charts">
        {CHARTS.map(({ title, line, name, other }) => (
          <Chart
            key={title}
            title={title}
            times={spans.map((span) => textOf(window, span))}
            values={spans.map((span) => span[line])}
            second={{ name, values: spans.map((span) => span[other]) }}
            isSum
            text={(value) => Math.round(value).toLocaleString(formats)}
          />
        ))}
      </div>
    </section>
  )
}
