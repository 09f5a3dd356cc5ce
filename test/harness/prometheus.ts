/**
 * Reads the Prometheus text format (0.0.4), and rejects everything that the format does not allow. It was written from
 * the description of the format, and not from the code that writes the metrics.
 */
import { credentialsIn } from './secrets.ts'

export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

export interface Family {
  type: string
  help: string
  samples: Sample[]
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const HEAD = new RegExp(`^# (HELP|TYPE) (${NAME}) (.*)$`)
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`)
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < text.length) {
    const found = LABEL.exec(text)
    if (!found) throw new Error(`not labels: ${text}`)
    const [, name, value] = found as unknown as [string, string, string]
    if (name in labels) throw new Error(`a label twice: ${text}`)
    labels[name] = value.replace(/\\(.)/g, (_, mark: string) => (mark === 'n' ? '\n' : mark))
  }
  return labels
}

function numberOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY
  if (text === 'Nan' || text === 'NaN') return Number.NaN
  const value = Number(text)
  if (Number.isNaN(value)) throw new Error(`not a number: ${text}`)
  return value
}

/** Returns the metric families by name. The samples of a histogram are in its family, under their own names. */
export function parse(text: string): Map<string, Family> {
  if (credentialsIn(text).length > 0) throw new Error('the metrics hold a credential')
  const families = new Map<string, Family>()
  const seen = new Set<string>()
  for (const line of text.split('\n')) {
    if (line === '') continue
    const head = HEAD.exec(line)
    if (head) {
      const [, word, name, rest] = head as unknown as [string, string, string, string]
      const family = families.get(name) ?? { type: '', help: '', samples: [] }
      if (word === 'TYPE' && family.type !== '') throw new Error(`the metric has a second TYPE line: ${line}`)
      families.set(name, { ...family, ...(word === 'TYPE' ? { type: rest } : { help: rest }) })
      continue
    }
    const found = SAMPLE.exec(line)
    if (!found) throw new Error(`not a line of the Prometheus text format: ${line}`)
    const [, name, labels = '', value] = found as unknown as [string, string, string | undefined, string]
    if (seen.has(`${name}{${labels}}`)) throw new Error(`the series has a second sample: ${line}`)
    seen.add(`${name}{${labels}}`)
    const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''))
    if (!family || family.type === '') throw new Error(`a sample without its type: ${line}`)
    family.samples.push({ name, labels: labelsOf(labels), value: numberOf(value) })
  }
  return families
}

export function total(families: Map<string, Family>, name: string, labels: Record<string, string> = {}): number {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''))
  if (!family) throw new Error(`no metric is called ${name}`)
  const fits = (sample: Sample) =>
    sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  return family.samples.filter(fits).reduce((sum, { value }) => sum + value, 0)
}
