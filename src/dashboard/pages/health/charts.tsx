/** Small charts over the last hour, with one line or two lines of the same measure. */
import type { Health, HealthPoint } from '../../../domain/dashboard.ts'
import { durationText, exactText } from '../../parts/time.tsx'

type Measure = { [Name in keyof HealthPoint]: HealthPoint[Name] extends number | null ? Name : never }[keyof HealthPoint]

interface Chart {
  title: string
  line: Measure
  /** Dashed second line of the same measure, with its name. */
  second?: readonly [measure: Measure, name: string]
  text(value: number): string
}

const perSecond = (value: number) => `${value.toLocaleString('en', { maximumFractionDigits: 1 })} /s`
const whole = (value: number) => Math.round(value).toLocaleString('en')

const CHARTS: readonly Chart[] = [
  { title: 'Deliveries', line: 'deliveries_per_second', second: ['failures_per_second', 'failures'], text: perSecond },
  { title: 'Delivery time, p99', line: 'webhook_p99_ms', second: ['webhook_p50_ms', 'p50'], text: durationText },
  { title: 'Messages sent', line: 'sent_per_second', second: ['received_per_second', 'received'], text: perSecond },
  { title: 'Requests', line: 'requests_per_second', text: perSecond },
  { title: 'Answer time, p99', line: 'http_p99_ms', second: ['http_p50_ms', 'p50'], text: durationText },
  { title: 'Queue', line: 'queue', text: whole },
  { title: 'Webhook backlog', line: 'backlog', text: whole },
  { title: 'Memory', line: 'rss_mb', text: (value) => `${whole(value)} MB` },
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

function ChartCard({ chart: { title, line, second, text }, points }: { chart: Chart; points: readonly HealthPoint[] }) {
  const values = points.map((point) => point[line])
  const others = second ? points.map((point) => point[second[0]]) : []
  const max = Math.max(1e-9, ...values.map((value) => value ?? 0), ...others.map((value) => value ?? 0))
  const now = lastOf(values)
  const then = lastOf(others)
  const shown = now === null ? 'none' : text(now)
  return (
    <figure class="card chart">
      <figcaption class="row between">
        <h2>{title}</h2>
        <span class="big">{shown}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: now ${shown}, at most ${text(max)}`}
      >
        <line x1="0" x2={WIDTH} y1={HEIGHT - 1} y2={HEIGHT - 1} />
        {second ? <path class="line second" d={pathOf(others, max)} /> : null}
        <path class="line" d={pathOf(values, max)} />
      </svg>
      <div class="axis">
        <span>{exactText(points[0]!.at)}</span>
        <span>{second ? `dashed: ${second[1]}${then === null ? '' : ` ${text(then)}`}` : ''}</span>
        <span>now</span>
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
