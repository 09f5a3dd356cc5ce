import { signal } from '@preact/signals'
import { formats } from '../texts/language.ts'
import { t } from '../texts/t.ts'

/**
 * Signal that changes every ten seconds while the page is visible, so that texts such as "a minute ago" stay correct.
 * All components share one timer.
 */
const tick = signal(0)
setInterval(() => {
  if (document.visibilityState === 'visible') tick.value++
}, 10_000)

const UNITS: readonly (readonly [ms: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
]
const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
const relative = new Intl.RelativeTimeFormat(formats, { numeric: 'always', style: 'short' })
const day = new Intl.DateTimeFormat(formats, { day: 'numeric', month: 'short', year: 'numeric' })
const exact = new Intl.DateTimeFormat(formats, { day: 'numeric', month: 'short', ...CLOCK })
const clock = new Intl.DateTimeFormat(formats, CLOCK)
const fine = new Intl.DateTimeFormat(formats, { ...CLOCK, fractionalSecondDigits: 3 })

export const dayText = (at: string) => day.format(new Date(at))
export const clockText = (at: string) => clock.format(new Date(at))
export const fineText = (at: string) => fine.format(new Date(at))
export const exactText = (at: string) => exact.format(new Date(at))

/** Replaces the UTC times in a sentence of the service with local times. */
export const withLocalTimes = (text: string) => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, exactText)

/** Returns a time as the value of a `datetime-local` field: local time, to the minute. */
export function localOf(at: string | number): string {
  const ms = new Date(at).getTime()
  return Number.isNaN(ms) ? '' : new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/**
 * Converts the value of a `datetime-local` field to ISO-8601. An invalid value stays unchanged, so that the service
 * refuses it.
 */
export const isoOf = (local: string) => (Number.isNaN(Date.parse(local)) ? local : new Date(local).toISOString())

function agoText(at: string): string {
  // Reading the signal makes the component render again with every tick.
  void tick.value
  const span = Date.parse(at) - Date.now()
  const [ms, unit] = UNITS.find(([size]) => Math.abs(span) >= size) ?? [1, undefined]
  if (!unit) return span > 5_000 ? t('in a moment') : t('just now')
  return Math.abs(span) > 40 * 86_400_000 ? dayText(at) : relative.format(Math.round(span / ms), unit)
}

export function Ago({ at, none = t('never') }: { at: string | null; none?: string }) {
  if (at === null) return <span class="soft">{none}</span>
  return (
    <time class="nowrap" dateTime={at} title={exactText(at)}>
      {agoText(at)}
    </time>
  )
}

export const At = ({ at }: { at: string }) => (
  <time class="nowrap number" dateTime={at} title={at}>
    {exactText(at)}
  </time>
)

export function durationText(ms: number | null): string {
  if (ms === null) return '–'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`
}
