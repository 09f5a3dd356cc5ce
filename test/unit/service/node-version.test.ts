import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyTooOld } from '../../../src/node-version.ts'
import { textOf } from '../../harness/checkout.ts'

test('a Node older than the package wants is refused with one sentence, and newer ones are not', () => {
  const oldest = Number(/^>=(\d+)$/.exec(JSON.parse(textOf('package.json')).engines.node)?.[1])
  const sentence = `Node ${oldest - 1}.20.8 is too old; use Node ${oldest} or newer (24 is recommended).`
  assert.equal(whyTooOld(`${oldest - 1}.20.8`), sentence)
  assert.equal(whyTooOld(`${oldest}.0.0`), undefined)
  assert.equal(whyTooOld(process.versions.node), undefined)
})

test('each program looks at its Node before anything else is loaded', () => {
  for (const path of ['src/start.ts', 'src/cli.ts'])
    assert.match(textOf(path), /^\/\*\*[\s\S]*?\*\/\nimport '\.\/refuse-old-node\.ts'\n/, path)
})
