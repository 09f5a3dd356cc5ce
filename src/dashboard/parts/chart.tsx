/** A small chart of one or two measures: lines for values over time, and bars for sums per hour or day. */
import { useState } from 'preact/hooks'
import { t } from '../texts/t.ts'

type Value = number | null

interface Second {
  name: string
  values: readonly Value[]
}

interface Place {
  at: number
  time: string | undefined
}

interface ChartProps {
  title: string
  times: readonly string[]
  values: readonly Value[]
  second?: Second | undefined
  /**
   * True if each value is a sum over its hour or day. While the pointer is not on such a chart, the chart shows the
   * total.
   */
  isSum?: boolean
  text(value: number): string
}

const WIDTH = 300
const HEIGHT = 88
/** Share of the width of each hour or day that its bars fill. */
const BAR = 0.8

const heightOf = (value: number, max: number) => (value / max) * (HEIGHT - 6)

/**
 * Returns the path of a line, with gaps where there is no value. A single point becomes a line as wide as the chart.
 */
function pathOf(points: readonly Value[], max: number): string {
  const values = points.length === 1 ? [...points, ...points] : points
  let isDown = false
  return values
    .map((value, at) => {
      if (value === null) {
        isDown = false
        return ''
      }
      const x = ((at / Math.max(1, values.length - 1)) * WIDTH).toFixed(1)
      const y = (HEIGHT - 2 - heightOf(value, max)).toFixed(1)
      const command = isDown ? `L${x} ${y}` : `M${x} ${y}h0`
      isDown = true
      return command
    })
    .join('')
}

/**
 * Returns the path of the bars, one for each value above 0. `at` is the index of this measure in a chart of `measures`
 * measures.
 */
function barsOf(values: readonly Value[], max: number, at: number, measures: number): string {
  const step = WIDTH / Math.max(1, values.length)
  const width = (step * BAR) / measures
  return values
    .map((value, index) => {
      if (!value) return ''
      const x = (index * step + (step * (1 - BAR)) / 2 + at * width).toFixed(1)
      const height = heightOf(value, max).toFixed(1)
      return `M${x} ${HEIGHT - 1}v-${height}h${width.toFixed(1)}v${height}z`
    })
    .join('')
}

const lastOf = (values: readonly Value[]) => values.findLast((value) => value !== null) ?? null
const totalOf = (values: readonly Value[]) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0)

const indexAt = ({ currentTarget, clientX }: PointerEvent, count: number, isSum: boolean) => {
  const { left, width } = (currentTarget as Element).getBoundingClientRect()
  const share = (clientX - left) / width
  return Math.max(0, Math.min(count - 1, isSum ? Math.floor(share * count) : Math.round(share * (count - 1))))
}

/**
 * Returns the present index of the sample at `place`. The sample is found by its time, because each new sample moves
 * the older ones.
 */
function indexOf(place: Place | undefined, times: readonly string[]): number | undefined {
  if (place?.time === undefined) return undefined
  if (times[place.at] === place.time) return place.at
  const at = times.indexOf(place.time)
  return at === -1 ? undefined : at
}

export function Chart({ title, times, values, second, isSum = false, text }: ChartProps) {
  const [underPointer, setUnderPointer] = useState<Place>()
  const [onSlider, setOnSlider] = useState<Place>()
  const placeAt = (at: number): Place => ({ at, time: times[at] })
  const pointed = indexOf(underPointer, times) ?? indexOf(onSlider, times)
  const others = second?.values ?? []
  const most = Math.max(0, ...values.map((value) => value ?? 0), ...others.map((value) => value ?? 0))
  // If no value is above 0, every height is 0 for every maximum, so any maximum will do.
  const max = most || 1
  const said = (value: Value | undefined) => (value === null || value === undefined ? t('none') : text(value))
  const whole = isSum ? totalOf : lastOf
  const shown = (of: readonly Value[]) => said(pointed === undefined ? whole(of) : of[pointed])
  const x = ((pointed ?? 0) / Math.max(1, values.length - 1)) * WIDTH
  const described = { title, now: said(whole(values)), max: text(most) }
  const last = values.length - 1
  const at = pointed ?? last
  const spoken = [times[at], said(values[at]), second && `${second.name} ${said(others[at])}`].filter(Boolean).join(', ')
  return (
    <figure class="card chart">
      <figcaption class="row between">
        <h2>{title}</h2>
        <span class="big">{shown(values)}</span>
      </figcaption>
      <div class="plot">
        <span class="most">{most > 0 ? text(most) : ''}</span>
        <span class="least">{text(0)}</span>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={
            isSum ? t('{title}: {now} in all, at most {max}', described) : t('{title}: now {now}, at most {max}', described)
          }
          onPointerMove={(event) => setUnderPointer(placeAt(indexAt(event, values.length, isSum)))}
          onPointerLeave={() => setUnderPointer(undefined)}
        >
          <line x1="0" x2={WIDTH} y1="4" y2="4" />
          <line x1="0" x2={WIDTH} y1={HEIGHT - 1} y2={HEIGHT - 1} />
          {isSum ? (
            <>
              <path class="bars" d={barsOf(values, max, 0, second ? 2 : 1)} />
              {second ? <path class="bars second" d={barsOf(others, max, 1, 2)} /> : null}
            </>
          ) : (
            <>
              {second ? <path class="line second" d={pathOf(others, max)} /> : null}
              <path class="line" d={pathOf(values, max)} />
              {pointed === undefined ? null : <line class="pointed" x1={x} x2={x} y1="0" y2={HEIGHT} />}
            </>
          )}
        </svg>
        <input
          type="range"
          min={0}
          max={Math.max(0, last)}
          value={at}
          aria-label={t('{title}: values by time', { title })}
          aria-valuetext={spoken}
          onInput={(event) => {
            setUnderPointer(undefined)
            setOnSlider(placeAt(Number(event.currentTarget.value)))
          }}
          onBlur={() => setOnSlider(undefined)}
        />
      </div>
      <div class="axis">
        <span>{times[pointed ?? 0]}</span>
        <span>{pointed === undefined ? t('now') : ''}</span>
      </div>
      {second ? (
        <div class={isSum ? 'key' : 'key dashed'}>
          <span>
            {second.name} {shown(others)}
          </span>
        </div>
      ) : null}
    </figure>
  )
}
