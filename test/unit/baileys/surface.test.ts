import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import * as library from '@whiskeysockets/baileys'
import { EXPORTS, LEANINGS } from '../../../workers/shard/baileys/surface.ts'
import { ROOT } from '../../harness/checkout.ts'

const root = join(dirname(createRequire(new URL('package.json', ROOT)).resolve('@whiskeysockets/baileys')), '..')
const flat = (text: string) => text.replace(/\s+/g, ' ')

for (const { of, file, text } of LEANINGS) {
  test(`${of} can lean on ${file}`, () => {
    const source = flat(readFileSync(join(root, file), 'utf8'))
    for (const snippet of text) assert.ok(source.includes(flat(snippet)), `gone: ${snippet}`)
    assert.ok(existsSync(new URL(`workers/shard/${of}`, ROOT)), `${of} is gone: so is the reason`)
  })
}

test('the exports in use are there', () => {
  for (const name of EXPORTS) assert.ok(name in library, name)
})

test('the versions are the ones all this was read in', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.equal(version, '7.0.0-rc14')
})
