/** Small charts over the last hour, with one line or two lines of the same measure. */
import { useState } from 'preact/hooks'
import type { Health, HealthPoint } from '../../../domain/dashboard.ts'
import { durationText, exactText } from '../../parts/time.tsx'
import { formats } from '../../texts/language.ts'
import { t } from '../../texts/t.ts'

type Measure = { [Name in keyof HealthPoint]: HealthPoint[Name] extends number | null ? Name : never }[keyof HealthPoint]

interface Chart {
  title: string
  line: Measure
  /** Dashed second line of the same measure, with its name. */
  second?: readonly [measure: Measure, name: string]
  text(value: number): string
}

const perSecond = (value: number) => `${value.toLocaleString(formats, { maximumFractionDigits: 1 })} /s`
const whole = (value: number) => Math.round(value).toLocaleString(formats)

const CHARTS: readonly Chart[] = [
  {
    title: t('Webhooks delivered'),
    line: 'deliveries_per_second',
    second: ['failures_per_second', t('failed attempts')],
    text: perSecond,
  },
  {
    title: t('Answer of receivers, slowest 1 in 100'),
    line: 'webhook_p99_ms',
    second: ['webhook_p50_ms', t('half are faster than')],
    text: durationText,
  },
  { title: t('Messages sent'), line: 'sent_per_second', second: ['received_per_second', t('received')], text: perSecond },
  { title: t('API requests'), line: 'requests_per_second', text: perSecond },
  {
    title: t('Answer of the API, slowest 1 in 100'),
    line: 'http_p99_ms',
    second: ['http_p50_ms', t('half are faster than')],
    text: durationText,
  },
  { title: t('Messages that wait'), line: 'queue', text: whole },
  { title: t('Events that wait'), line: 'backlog', text: whole },
  { title: t('Memory'), line: 'rss_mb', text: (value) => `${whole(value)} MB` },
]

const WIDTH = 300
const HEIGHT = 88

/** Draws a path through the points that have a value, with gaps where there is none. */
function pathOf(values: readonly (number | null)[], max: number): string {
  let isDown = false
  return values
    .map((value, at) => {
      if (value === null) {
        isDown = false
        return ''
      }
      const x = ((at / Math.max(1, values.length - 1)) * WIDTH).toFixed(1)
      const y = (HEIGHT - 2 - (value / max) * (HEIGHT - 6)).toFixed(1)
      const command = isDown ? 'L' : 'M'
      isDown = true
      return `${command}${x} ${y}`
    })
    .join('')
}

const lastOf = (values: readonly (number | null)[]) => values.findLast((value) => value !== null) ?? null

/** Returns the index of the point under the pointer. */
const indexAt = ({ currentTarget, clientX }: PointerEvent, count: number) => {
  const { left, width } = (currentTarget as Element).getBoundingClientRect()
  return Math.max(0, Math.min(count - 1, Math.round(((clientX - left) / width) * (count - 1))))
}

function ChartCard({ chart: { title, line, second, text }, points }: { chart: Chart; points: readonly HealthPoint[] }) {
  const [pointed, setPointed] = useState<number>()
  const values = points.map((point) => point[line])
  const others = second ? points.map((point) => point[second[0]]) : []
  const max = Math.max(1e-9, ...values.map((value) => value ?? 0), ...others.map((value) => value ?? 0))
  const said = (value: number | null | undefined) => (value === null || value === undefined ? t('none') : text(value))
  const now = said(lastOf(values))
  const point = pointed === undefined ? undefined : points[pointed]
  const shown = point === undefined ? now : said(values[pointed!])
  const other = point === undefined ? lastOf(others) : others[pointed!]
  const x = pointed === undefined ? 0 : (pointed / Math.max(1, points.length - 1)) * WIDTH
  return (
    <figure class="card chart">
      <figcaption class="row between">
        <h2>{title}</h2>
        <span class="big">{shown}</span>
      </figcaption>
      <div class="plot">
        <span class="most">{text(max)}</span>
        <span class="least">{text(0)}</span>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={t('{title}: now {now}, at most {max}', { title, now, max: text(max) })}
          onPointerMove={(event) => setPointed(indexAt(event, points.length))}
          onPointerLeave={() => setPointed(undefined)}
        >
          <line x1="0" x2={WIDTH} y1="4" y2="4" />
          <line x1="0" x2={WIDTH} y1={HEIGHT - 1} y2={HEIGHT - 1} />
          {second ? <path class="line second" d={pathOf(others, max)} /> : null}
          <path class="line" d={pathOf(values, max)} />
          {point ? <line class="pointed" x1={x} x2={x} y1="0" y2={HEIGHT} /> : null}
        </svg>
      </div>
      <div class="axis">
        <span>{exactText(point?.at ?? points[0]!.at)}</span>
        <span>{second ? `- - ${second[1]} ${said(other)}` : ''}</span>
        <span>{point ? '' : t('now')}</span>
      </div>
    </figure>
  )
}

export const Charts = ({ series }: { series: Health['series'] }) => (
  <div class="charts">
    {CHARTS.map((chart) => (
      <ChartCard key={chart.title} chart={chart} points={series.points} />
    ))}
  </div>
)
