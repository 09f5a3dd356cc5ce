import type { Health, HealthPoint } from '../../../domain/dashboard.ts'
import { Chart } from '../../parts/chart.tsx'
import { durationText, exactText } from '../../parts/time.tsx'
import { formats } from '../../texts/language.ts'
import { t } from '../../texts/t.ts'
import { withGaps } from './slots.ts'

type Measure = { [Name in keyof HealthPoint]: HealthPoint[Name] extends number | null ? Name : never }[keyof HealthPoint]

interface Shown {
  title: string
  line: Measure
  second?: readonly [measure: Measure, name: string]
  text(value: number): string
}

const perSecond = (value: number) => `${value.toLocaleString(formats, { maximumFractionDigits: 1 })} /s`
const whole = (value: number) => Math.round(value).toLocaleString(formats)

const CHARTS: readonly Shown[] = [
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

export function Charts({ series: { points, every_seconds } }: { series: Health['series'] }) {
  const slots = withGaps(points, every_seconds * 1_000)
  const times = slots.map(({ at }) => exactText(at))
  const valuesOf = (measure: Measure) => slots.map(({ sample }) => sample?.[measure] ?? null)
  return (
    <div class="charts eight">
      {CHARTS.map(({ title, line, second, text }) => (
        <Chart
          key={title}
          title={title}
          times={times}
          values={valuesOf(line)}
          second={second && { name: second[1], values: valuesOf(second[0]) }}
          text={text}
        />
      ))}
    </div>
  )
}
