import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { VERSION } from '../../../src/domain/brand.ts'
import { ROOT } from '../../harness/checkout.ts'

test('the service calls itself by the version of its package', () => {
  const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'))
  assert.equal(VERSION, version)
})
