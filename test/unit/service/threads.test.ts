/**
 * Tests that the bundle of each thread contains all its code. A thread takes twice as long to start if it has to read
 * hundreds of files.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { HOOKS } from '../../harness/checkout.ts'

/** Packages and definitions that are not in the bundles. `scripts/bundle-options.mjs` gives the reasons. */
const OUTSIDE = /^(lmdb|sharp|whatsapp-rust-bridge|libheif-js|piscina|protobufjs|long|@whiskeysockets\/baileys\/WAProto)(\/|$)/
const BUILT = fileURLToPath(new URL('../../../', import.meta.url))
const FOLDERS = ['workers', 'packages/sandbox/src']

const skip = HOOKS.length > 0 ? 'runs from source: nothing is bundled' : false
const bundles = skip
  ? []
  : FOLDERS.flatMap((folder) =>
      readdirSync(join(BUILT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.bundle.js'))
        .map((name) => join(folder, name)),
    )

test('a bundle loads no package but those that cannot be bundled, and is read with one byte a character', { skip }, () => {
  assert.ok(bundles.length >= 8)
  for (const name of bundles) {
    const code = readFileSync(join(BUILT, name), 'utf8')
    const loaded = [...code.matchAll(/^(?:import .*|import|\}) ?(?:from )?"([^"]+)";$/gm)].map(([, path]) => String(path))
    assert.deepEqual(
      loaded.filter((path) => !isBuiltin(path) && !OUTSIDE.test(path) && !path.endsWith('.bundle.js')),
      [],
      name,
    )
    assert.ok(/^[^\u0080-\uffff]*$/.test(code), name)
  }
})
