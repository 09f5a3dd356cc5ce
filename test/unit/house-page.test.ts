import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FACETS as GROUP_FACETS } from '../../workers/shard/groups/facets.ts'
import { FACETS as MESSAGE_FACETS } from '../../workers/shard/messages/facets.ts'
import { ROOT } from '../harness/checkout.ts'

const root = fileURLToPath(ROOT)
const page = readFileSync(`${root}src/README.md`, 'utf8')
const files = ['src', 'workers'].flatMap((folder) =>
  readdirSync(`${root}${folder}`, { recursive: true }).map((path) => `/${folder}/${path}`),
)

const between = (from: string, to: string) => page.split(from)[1]!.split(to)[0]!

for (const [what, walk] of [
  ['a text out', between('A text out, `POST …/send-text`:', 'A text in:')],
  ['a text in', between('A text in:', '**The durable line.**')],
] as const)
  test(`${what} has at most twelve steps, no file of which comes twice`, () => {
    assert.ok([...walk.matchAll(/^\d+\. /gm)].length <= 12)
    const named = [...walk.matchAll(/`([\w./-]+\.ts)`/g)].map(([, path]) => path!)
    assert.ok(named.length > 10)
    assert.deepEqual([...new Set(named)], named)
    for (const path of named)
      assert.ok(
        files.some((file) => file.endsWith(`/${path}`)),
        `there is no ${path}`,
      )
  })

for (const [what, text, facets] of [
  ['message ledger', between('**The message ledger.**', '**The group book.**'), MESSAGE_FACETS],
  ['group book', between('**The group book.**', '## Where is'), GROUP_FACETS],
] as const)
  test(`the table of the ${what} has every facet, with its bounds`, () => {
    const table = [...text.matchAll(/^\| `(\w+)` \|(.*)$/gm)]
    assert.deepEqual(
      table.map(([, facet]) => facet),
      Object.keys(facets),
    )
    for (const [, facet, row] of table) {
      const { rows = 0, groups = 0 } = (facets as Record<string, Record<string, number>>)[facet!]!
      for (const bound of [rows, groups])
        if (bound > 0 && Number.isFinite(bound)) assert.ok(row!.includes(bound.toLocaleString('en')), `${facet} has ${bound}`)
    }
  })
