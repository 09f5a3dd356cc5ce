import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { VERSION } from '../../../src/domain/brand.ts'
import { ROOT } from '../../harness/checkout.ts'

const textOf = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
const versionOf = (path: string) => JSON.parse(textOf(path)).version

test('the service calls itself by the version of its package', () => {
  assert.equal(VERSION, versionOf('package.json'))
})

test('everything that is released has the version of the service', () => {
  const packages = readdirSync(new URL('packages', ROOT)).filter((name) =>
    existsSync(new URL(`packages/${name}/package.json`, ROOT)),
  )
  assert.ok(packages.length >= 3)
  for (const path of ['package-lock.json', 'extension/manifest.json', ...packages.map((name) => `packages/${name}/package.json`)])
    assert.equal(versionOf(path), VERSION, path)
  for (const path of ['CHANGELOG.md', ...packages.map((name) => `packages/${name}/CHANGELOG.md`)])
    assert.ok(new RegExp(`^## \\[?${VERSION.replaceAll('.', '\\.')}\\]?$`, 'm').test(textOf(path)), path)
})
