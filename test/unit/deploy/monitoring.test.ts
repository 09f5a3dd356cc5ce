import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { STATUSES } from '../../../src/domain/instance.ts'
import { processText } from '../../../src/metrics/process.ts'
import { METRICS, type Metric } from '../../../src/metrics/table.ts'
import { pathOf, textOf, yamlOf } from '../../harness/deploy-files.ts'
import { installed, missing } from '../../harness/samples.ts'

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: Record<string, string>
}

const RULES = 'deploy/monitoring/alerts.yaml'
const rules = yamlOf<{ groups: { rules: Rule[] }[] }>(RULES).groups.flatMap((group) => group.rules)
const { panels, templating } = JSON.parse(textOf('deploy/monitoring/dashboard.json')) as {
  panels: { title: string; type: string; description?: string; targets?: { expr: string }[] }[]
  templating: { list: { name: string }[] }
}
const table: Readonly<Record<string, Metric>> = METRICS

/** Labels that are not in the table of metrics, because Prometheus adds them, or because every histogram has them. */
const ADDED = ['job', 'instance', 'le']

/** Returns the metric of a series. The series of a histogram have an additional ending. */
const metricOf = (series: string) => table[series] ?? table[series.replace(/_(bucket|sum|count)$/, '')]

const seriesIn = (expr: string) =>
  [...expr.matchAll(/\b((?:svc|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', labels = '']) => ({
    name,
    labels: [...labels.matchAll(/(\w+)\s*=~?\s*"([^"]*)"/g)].map(([, label = '', value = '']) => [label, value] as const),
  }))

const expressions: readonly (readonly [where: string, expr: string])[] = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
]

test('every expression names metrics and labels that the service has', async () => {
  const ofProcess = await processText()
  assert.ok(expressions.length > 40, String(expressions.length))
  for (const [where, expr] of expressions) {
    const series = seriesIn(expr)
    assert.ok(series.length > 0 || expr.includes('up{'), where)
    for (const { name, labels } of series) {
      const metric = metricOf(name)
      if (!name.startsWith('svc_')) assert.match(ofProcess, new RegExp(`^${name}[ {]`, 'm'), `${where}: ${name}`)
      else assert.ok(metric && !metric.help.startsWith('Deprecated'), `${where}: ${name}`)
      for (const [label, value] of labels) {
        assert.ok([...ADDED, ...(metric?.labels ?? [])].includes(label), `${where}: ${name} has no label ${label}`)
        const isStatus = name === 'svc_instances' && label === 'status'
        if (isStatus || label === 'to') assert.ok((STATUSES as readonly string[]).includes(value), `${where}: ${value}`)
      }
    }
    const known = [...ADDED, ...series.flatMap(({ name }) => metricOf(name)?.labels ?? [])]
    for (const [, labels = ''] of expr.matchAll(/\bby \(([^)]*)\)/g))
      for (const label of labels.split(', ')) assert.ok(known.includes(label), `${where}: by ${label}`)
  }
})

test('each alert has a name of its own, a severity, and says what to do', () => {
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  for (const { alert, labels, annotations } of rules) {
    assert.match(labels.severity, /^(critical|warning|info)$/, alert)
    for (const field of ['summary', 'action']) assert.match(annotations[field] ?? '', /^[A-Z/].{20,}\.$/s, `${alert}: ${field}`)
  }
})

test('each panel of the dashboard says what it shows, and the user chooses the source and the job', () => {
  assert.deepEqual(
    templating.list.map(({ name }) => name),
    ['datasource', 'job'],
  )
  for (const { title, type, description = '' } of panels.filter((panel) => panel.type !== 'row'))
    assert.ok(type === 'timeseries' && description.length > 20, title)
})

test('Prometheus accepts the rules, and they fire when they should', { skip: missing('promtool') }, () => {
  const promtool = (...args: string[]) => execFileSync(installed('promtool')!, args, { encoding: 'utf8', stdio: 'pipe' })
  assert.match(promtool('check', 'rules', pathOf(RULES)), new RegExp(`SUCCESS: ${rules.length} rules`))
  promtool('test', 'rules', pathOf('deploy/monitoring/alerts.test.yaml'))
})
