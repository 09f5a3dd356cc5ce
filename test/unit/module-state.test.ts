/**
 * Tests that modules of a shard have no state. All instances of a thread share its modules, so state must belong to an
 * instance, a session or the thread. The code in `baileys/` is an exception: it handles errors of the whole thread.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../harness/checkout.ts'

const root = fileURLToPath(ROOT)

/** Matches a variable at the top level of a module, or a collection that begins empty there. */
const STATE =
  /^(?:export )?let \w+|^(?:export )?const (\w+)(?:: [^=]+)? = (?:new (?:WeakMap|WeakSet|Map|Set|LRUCache|Mutex|PQueue)(?:<.*>)?\(\)|new (?:LRUCache|PQueue)\b|boundedCache\b|createKeyedMutex\b)/gm

const stateOf = (source: string): string[] => [...source.matchAll(STATE)].map(([found]) => found)

test('no module of a shard has state', () => {
  const folder = join(root, 'workers/shard')
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.startsWith('workers/shard/baileys/'))
    .flatMap((path) => stateOf(readFileSync(join(root, path), 'utf8')).map((state) => `${path}: ${state}`))
  assert.deepEqual(found, [])
})

test('state is told from tables', () => {
  const state = [
    'const posted = new WeakMap<Recent, BoundedCache<string, Posted>>()',
    'let current: Session | null = null',
    'export let isInstalled = false',
    'const known: Map<string, string> = new Map()',
    'const names = boundedCache<string, string>(50)',
  ]
  for (const line of state) assert.equal(stateOf(line).length, 1, line)
  const tables = [
    "const NONE = new Set(['not_found'])",
    'const ROWS = new Map([[1, 2]])',
    '  let inner = 0',
    '  const own = new Map()',
  ]
  for (const line of tables) assert.deepEqual(stateOf(line), [], line)
})
