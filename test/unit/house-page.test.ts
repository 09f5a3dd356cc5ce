/** `src/README.md` shows the ways through the service and the facets of a message as the code has them. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FACETS } from '../../workers/shard/messages/facets.ts'
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

test('the table of the message ledger has every facet, with its bounds', () => {
  const table = [...between('**The message ledger.**', '## Where is').matchAll(/^\| `(\w+)` \|(.*)$/gm)]
  assert.deepEqual(
    table.map(([, facet]) => facet),
    Object.keys(FACETS),
  )
  for (const [, facet, text] of table) {
    const bounds: Record<string, number> = FACETS[facet as keyof typeof FACETS]
    const { rows = 0 } = bounds
    if (rows > 0 && Number.isFinite(rows)) assert.ok(text!.includes(rows.toLocaleString('en')), `${facet} has ${rows}`)
  }
})
