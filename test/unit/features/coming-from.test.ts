import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { EVENT_TYPES } from '../../../src/domain/events.ts'
import { INSTANCE_BASE } from '../../../src/features/endpoint.ts'
import { endpoints } from '../../../src/features/index.ts'
import { NOTIFICATIONS } from '../../../src/features/received/notifications.ts'
import { ROOT } from '../../harness/checkout.ts'

const page = readFileSync(new URL('docs/coming-from.md', ROOT), 'utf8')
const routes = new Set(endpoints.map(({ method, path }) => `${method} ${path.replace(INSTANCE_BASE, '')}`))

function rowsOf(section: string, begin: string): string[][] {
  const [, table = ''] = section.split(`| ${begin} |`)
  const lines = table.split('\n').slice(2)
  const end = lines.findIndex((line) => !line.startsWith('|'))
  return lines
    .slice(0, end < 0 ? undefined : end)
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()))
}
const coded = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word!)

for (const name of ['Evolution API', 'WAHA', 'go-whatsapp-web-multidevice']) {
  const section = page.split(`\n## ${name}\n`)[1]!.split('\n## ')[0]!

  test(`${name}: 25 calls, each an operation here or nothing with the reason`, () => {
    const rows = rowsOf(section, 'Call there | Here | What changes')
    assert.equal(rows.length, 25)
    for (const [there, here = '', changes = ''] of rows) {
      if (here === 'nothing') assert.ok(changes.length > 10, there)
      else for (const route of coded(here)) assert.ok(routes.has(route), `${there}: ${route}`)
      for (const route of coded(changes).filter((word) => /^(GET|PUT|POST|DELETE) \//.test(word)))
        assert.ok(routes.has(route), route)
    }
  })

  test(`${name}: 10 events, each a type here or nothing with the reason`, () => {
    const rows = rowsOf(section, 'Event there | Here | What changes')
    assert.equal(rows.length, 10)
    for (const [there, here = '', changes = ''] of rows) {
      if (here === 'nothing') assert.ok(changes.length > 10, there)
      else for (const type of coded(here)) assert.ok((EVENT_TYPES as readonly string[]).includes(type), `${there}: ${type}`)
      const told = coded(changes).filter((word) => /^(group_participant|call_missed|chat_label|revoke$)/.test(word))
      for (const word of told) assert.ok((NOTIFICATIONS as readonly string[]).includes(word), `${there}: ${word}`)
    }
  })
}
