/**
 * Tests which modules and packages a module may import, by the tables in this file. The rules keep Baileys (59 MB) out
 * of the service's main thread, zod (20 MB) out of the shards, and modules of Node out of HTTP. Imports form no cycle.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize, relative, sep } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../harness/checkout.ts'

const root = fileURLToPath(ROOT)

interface Rule {
  /** Paths of files, or the beginnings of such paths. The first row that matches a file applies to it. */
  of: readonly string[]
  /** Paths in this repository that the files of the row may import. They may always import from their own folder. */
  run: readonly string[]
  /** Paths in this repository from which the files of the row may import only types (`import type`). */
  types?: readonly string[]
  /**
   * Packages and `node:` modules that the files of the row may load: all except those in `not`, or none but those in
   * `only`.
   */
  packages: { not: readonly RegExp[] } | { only: readonly RegExp[] }
}

const BAILEYS = /^(@whiskeysockets\/baileys|whatsapp-rust-bridge|libsignal)(\/|$)/
const HTTP = /^(hono|@hono\/.*|zod)(\/|$)/
const NODE = /^node:/
const POOL = /^piscina$/
/** Parts of Baileys without client code: the protobuf definitions and the codec of binary nodes (stanzas). */
const WIRE_FORMATS = /^@whiskeysockets\/baileys\/(WAProto\/|lib\/WABinary\/)/

const parts = ['src/account/', 'src/connect/', 'src/directory/', 'src/oauth/', 'src/passkey/', 'src/webhooks/', 'src/media/']

const RULES: readonly Rule[] = [
  { of: ['src/lib/'], run: [], packages: { only: [/^(lru-cache|async-mutex|p-queue|ulid|node:crypto)$/] } },
  { of: ['src/domain/'], run: [], packages: { only: [] } },
  {
    of: ['src/features/'],
    run: ['src/domain/', 'src/lib/deadline.ts'],
    types: ['src/account/', 'src/directory/', 'src/oauth/'],
    packages: { only: [/^zod$/] },
  },
  {
    of: ['src/http/'],
    run: [
      'src/domain/',
      'src/lib/deadline.ts',
      'src/lib/give-back.ts',
      'src/lib/key-counts.ts',
      'src/features/',
      'src/egress/addresses.ts',
    ],
    types: ['src/engine/', 'src/account/', 'src/directory/', 'src/oauth/', 'src/metrics/'],
    packages: { not: [NODE, BAILEYS, POOL, /^(lmdb|unstorage)/] },
  },
  // The dashboard runs in a browser, and its bundle must stay small. So it may import only these
  // files, and its own.
  {
    of: ['src/dashboard/'],
    run: [
      'src/domain/archive.ts',
      'src/domain/connected-day.ts',
      'src/domain/device-bundle.ts',
      'src/domain/events.ts',
      'src/domain/brand.ts',
      'src/domain/dashboard.ts',
      'src/domain/dashboard-rights.ts',
      'src/domain/display-text.ts',
      'src/domain/instance-choices.ts',
      'src/domain/health-words.ts',
      'src/domain/instance-list.ts',
      'src/domain/isolated-text.ts',
      'src/domain/language.ts',
      'src/domain/passkey-words.ts',
      'src/domain/phone-input.ts',
      'src/domain/word-search.ts',
      'src/domain/receiver-state.ts',
      'src/domain/replay-progress.ts',
      'src/domain/warm-up-text.ts',
      'src/domain/queue-capacity.ts',
      'src/domain/webhook-log.ts',
    ],
    packages: { only: [/^(preact|@preact\/signals|openapi-fetch|eventsource-parser)(\/|$)/] },
  },
  {
    of: ['src/archive/'],
    // These files stage the device of an uploaded archive in the store, so they need these parts of the service.
    run: [
      'src/domain/',
      'src/lib/',
      'src/storage/',
      'src/account/credentials.ts',
      'src/directory/imports.ts',
      'src/directory/linked.ts',
      'src/directory/record.ts',
    ],
    packages: { not: [BAILEYS, HTTP, POOL] },
  },
  { of: ['src/storage/'], run: ['src/domain/', 'src/lib/'], packages: { not: [BAILEYS, HTTP, POOL] } },
  // The main thread and the shards load these two files, which describe the messages between threads.
  {
    of: ['src/engine/engine.ts', 'src/engine/protocol.ts'],
    run: ['src/domain/', 'src/engine/engine.ts'],
    // These two files may import types from the declarations of operations, but no code.
    types: ['src/features/', 'src/engine/thread-messages.ts'],
    packages: { only: [/^valibot$/] },
  },
  {
    of: ['src/engine/thread-messages.ts'],
    run: ['src/domain/'],
    types: ['src/engine/engine.ts'],
    packages: { only: [/^node:worker_threads$/] },
  },
  { of: ['src/engine/'], run: ['src/domain/', 'src/lib/'], types: ['src/metrics/'], packages: { not: [BAILEYS, HTTP] } },
  // The main thread and the shards load these two files, which count, so they must be small. The code that formats the
  // metrics runs in the main thread.
  {
    of: ['src/metrics/table.ts', 'src/metrics/tally.ts'],
    run: ['src/domain/', 'src/metrics/table.ts'],
    packages: { only: [] },
  },
  // The rules about addresses apply to outgoing and incoming connections. HTTP imports them, so they may not use
  // modules of Node.
  { of: ['src/egress/addresses.ts'], run: ['src/domain/'], packages: { only: [/^ipaddr\.js$/] } },
  { of: ['src/egress/'], run: ['src/domain/', 'src/lib/'], packages: { not: [BAILEYS, HTTP, POOL] } },
  { of: ['src/metrics/'], run: ['src/domain/'], packages: { only: [/^prom-client$/] } },
  {
    of: parts,
    run: [
      'src/domain/',
      'src/lib/',
      'src/egress/',
      'src/storage/',
      'src/account/credentials.ts',
      'src/account/webhook-settings.ts',
    ],
    types: [...parts, 'src/engine/engine.ts'],
    packages: { not: [BAILEYS, HTTP, POOL] },
  },
  {
    of: ['src/config', 'src/log.ts', 'src/kill-at.ts'],
    run: ['src/domain/', 'src/config', 'src/egress/addresses.ts'],
    types: ['src/engine/engine.ts'],
    packages: { not: [BAILEYS, HTTP, POOL] },
  },
  {
    of: ['workers/shard/'],
    run: [
      'src/domain/',
      'src/lib/',
      'src/egress/',
      'src/storage/',
      'src/webhooks/',
      'src/media/',
      'src/metrics/tally.ts',
      'src/engine/engine.ts',
      'src/engine/protocol.ts',
      'src/engine/quiet-memory.ts',
      'src/engine/spare-memory.ts',
      'src/engine/thread-messages.ts',
      'src/log.ts',
      'src/kill-at.ts',
    ],
    types: ['src/features/', 'src/engine/', 'src/metrics/'],
    packages: { not: [HTTP, POOL] },
  },
  {
    of: ['workers/media/'],
    // Media code decodes pictures and downloads received files in threads. So it may import the code that starts a
    // thread.
    run: [
      'src/domain/',
      'src/lib/',
      'src/features/',
      'src/log.ts',
      'src/engine/thread.ts',
      'src/media/',
      'src/egress/',
      'src/storage/bucket/',
    ],
    types: ['src/engine/engine.ts'],
    packages: { not: [BAILEYS, /^(lmdb|unstorage)/, /^hono/] },
  },
  {
    of: ['workers/webhook-log/'],
    run: ['src/domain/', 'src/storage/', 'src/webhooks/'],
    packages: { not: [BAILEYS, HTTP] },
  },
  {
    of: ['workers/archive/'],
    run: [
      'src/domain/',
      'src/storage/',
      'src/archive/',
      'src/account/credentials.ts',
      'src/directory/imports.ts',
      'src/log.ts',
      'src/kill-at.ts',
      'workers/media/pieces.ts',
      'workers/portability/',
    ],
    packages: { not: [BAILEYS, HTTP] },
  },
  {
    of: ['packages/sandbox/src/'],
    run: [],
    packages: { only: [NODE, WIRE_FORMATS, /^(ws|valibot|pngjs|jsqr|node-forge|undici)$/, /^libsignal(\/|$)/] },
  },
  {
    of: ['workers/portability/'],
    run: [
      'src/domain/',
      'src/storage/',
      'workers/shard/keys/',
      'workers/shard/lifecycle/moved.ts',
      'workers/shard/lifecycle/runtime-record.ts',
    ],
    packages: { not: [HTTP, POOL, /^(lmdb|unstorage)/] },
  },
  // The entry point and the commands connect all parts. So they may import the whole main thread, but not the library
  // itself.
  {
    of: ['src/'],
    run: ['src/', 'packages/sandbox/src/sandbox-thread.ts', 'workers/portability/'],
    types: ['workers/'],
    packages: { not: [BAILEYS] },
  },
]

interface Import {
  from: string
  isType: boolean
}

function importsOf(source: string): Import[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const statements = [...code.matchAll(/^(?:import|export)\b(\s+type\b(?!\s*(?:from|,)\s*['"]))?[^'"`;()]*?['"]([^'"]+)['"]/gm)]
    // A statement without `from` is an import only if it begins with `import 'x'`. For example, `export const a = 'b'`
    // is none.
    .filter(([text]) => /\bfrom\s*['"]/.test(text) || /^import\s*['"]/.test(text))
    .map(([, type, from]) => ({ from: from!, isType: type !== undefined }))
  const expressions = [...code.matchAll(/(\btypeof\s+|[:<|&=(,]\s*)?\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)].map(
    ([text, lead, from]) => ({
      from: from!,
      isType: /typeof\s+$/.test(lead ?? '') || isTypeQuery(code, text),
    }),
  )
  return [...statements, ...expressions]
}

/**
 * Returns true if the expression `import('x')` is followed by `.Name`, and is therefore a type. Code must await the
 * module first, so no `.Name` follows the parenthesis.
 */
const isTypeQuery = (code: string, text: string) => {
  const after = code.slice(code.indexOf(text) + text.length)
  return /^\.[A-Z]/.test(after)
}

const begins = (path: string, prefixes: readonly string[]) => prefixes.some((prefix) => path.startsWith(prefix))

function violations(path: string, source: string): string[] {
  const rule = RULES.find(({ of }) => begins(path, of))
  if (rule === undefined) return [`${path} is in no row of the table`]
  return importsOf(source).flatMap(({ from, isType }) => {
    if (!from.startsWith('.')) {
      if (isType) return []
      const fits = (patterns: readonly RegExp[]) => patterns.some((pattern) => pattern.test(from))
      const isAllowed = 'only' in rule.packages ? fits(rule.packages.only) : !fits(rule.packages.not)
      return isAllowed ? [] : [`${path} must not load ${from}`]
    }
    const target = normalize(join(dirname(path), from))
      .split(sep)
      .join('/')
    const isOwn = begins(
      target,
      rule.of.filter((prefix) => path.startsWith(prefix)),
    )
    const isAllowed = isOwn || begins(target, rule.run) || (isType && begins(target, rule.types ?? []))
    return isAllowed ? [] : [`${path} must not ${isType ? 'know' : 'load'} ${target}`]
  })
}

const GENERATED = join('src', 'dashboard', 'generated')

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.endsWith(GENERATED))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
}

test('every file of src, of workers and of the sandbox imports only what the table allows', () => {
  const files = [...sources('src'), ...sources('workers'), ...sources('packages/sandbox/src')]
  assert.ok(files.length > 20)
  const found = files.flatMap((path) => violations(path, readFileSync(join(root, path), 'utf8')))
  assert.deepEqual(found, [])
})

test('the SDK of the tools is loaded by one file, and that one late', () => {
  const naming = (pattern: RegExp) =>
    [...sources('src'), ...sources('workers')].filter((path) => pattern.test(readFileSync(join(root, path), 'utf8')))
  assert.deepEqual(naming(/@modelcontextprotocol/), ['src/http/mcp/server.ts'])
  assert.deepEqual(naming(/^import (?!type).*mcp\/server\.ts'|^import (?!type).*'\.\/server\.ts'/m), [])
})

test('only config.ts reads the environment, and a restart hands it on', () => {
  const readers = [...sources('src'), ...sources('workers')].filter((path) =>
    readFileSync(join(root, path), 'utf8').includes('process.env'),
  )
  assert.deepEqual(readers.toSorted(), ['src/config.ts', 'src/restart-frugally.ts'])
})

describe('the table notices', () => {
  const broken: readonly [what: string, path: string, source: string][] = [
    ['Baileys in the main thread', 'src/main.ts', "import { proto } from '@whiskeysockets/baileys'"],
    ['Baileys loaded late in the main thread', 'src/start.ts', "const it = await import('@whiskeysockets/baileys')"],
    ['a side-effect import', 'src/domain/ids.ts', "import 'node:fs'"],
    ['node: in HTTP', 'src/http/app.ts', "import { readFile } from 'node:fs/promises'"],
    [
      'a worker loading a feature',
      'workers/shard/operations/labels.ts',
      "import { create } from '../../../src/features/labels.ts'",
    ],
    ['zod in a shard', 'workers/shard/chats/session.ts', "import * as z from 'zod'"],
    ['HTTP known by the account', 'src/account/account.ts', "import type { App } from '../http/app.ts'"],
    ['an arrow back into the account', 'src/storage/open-store.ts', "export { accounts } from '../account/account.ts'"],
    ['ours in the sandbox', 'packages/sandbox/src/wire/node.ts', "import type { Jid } from '../../../../src/domain/ids.ts'"],
    ['the client in the sandbox', 'packages/sandbox/src/wire/node.ts', "import { makeWASocket } from '@whiskeysockets/baileys'"],
    ['the service in the sandbox', 'packages/sandbox/src/cli.ts', "import { BRAND } from '../../../src/domain/brand.ts'"],
    ['a look-up in what HTTP loads', 'src/egress/addresses.ts', "import { lookup } from 'node:dns/promises'"],
    ['the guarded fetch in HTTP', 'src/http/app.ts', "import { guardedFetch } from '../egress/guarded-fetch.ts'"],
    ['the service in the page', 'src/dashboard/main.tsx', "import type { App } from '../http/app.ts'"],
    ['a package that the page does not bundle', 'src/dashboard/main.tsx', "import * as z from 'zod'"],
    ['an import over several lines', 'src/http/app.ts', "import {\n  type A,\n  b,\n} from '../engine/pooled-engine.ts'"],
    ['a named type that still loads its module', 'src/http/app.ts', "import { type A } from '../engine/pooled-engine.ts'"],
    ['a folder the table does not know', 'other/thing.ts', ''],
  ]
  for (const [what, path, source] of broken) {
    test(what, () => assert.equal(violations(path, source).length, 1))
  }

  const fine: readonly [what: string, path: string, source: string][] = [
    ['types of Baileys in the main thread', 'src/main.ts', "import type { proto } from '@whiskeysockets/baileys'"],
    ['a contract as a type', 'workers/shard/operations/labels.ts', "type F = typeof import('../../../src/features/labels.ts')"],
    ['an import in a comment', 'src/domain/ids.ts', "// import 'node:fs'\n/* import 'node:fs' */"],
    ['a string that is no import', 'src/domain/ids.ts', "export const from = 'node:fs'"],
    ['the sandbox, loaded late', 'src/start.ts', "await import('../packages/sandbox/src/sandbox-thread.ts')"],
  ]
  for (const [what, path, source] of fine) {
    test(`nothing wrong with ${what}`, () => assert.deepEqual(violations(path, source), []))
  }
})

test('the tests, the benches and the pages import of the sandbox only what its package exports, and parts for tests', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'packages/sandbox/package.json'), 'utf8'))
  const exported = Object.values<{ default: string }>(exports).map(({ default: path }) => basename(path, '.js'))
  const doors = [...exported, 'testing'].map((name) => `packages/sandbox/src/${name}.ts`)
  for (const door of doors) assert.ok(existsSync(join(root, door)), door)
  const others = ['test', 'bench', 'docs', 'examples'].flatMap(sources)
  const importing = others.filter((path) =>
    importsOf(readFileSync(join(root, path), 'utf8')).some(({ from }) => {
      const target = targetOf(path, from)
      return target?.startsWith('packages/sandbox/') && !doors.includes(target)
    }),
  )
  assert.deepEqual(importing, [])
})

test('tests start the network through the harness, which has it traced', () => {
  const found = sources('test')
    .filter((path) => path !== 'test/harness/network.ts' && path !== 'test/unit/imports.test.ts')
    .filter((path) =>
      /^import[^'"]*\b(startSimulator|startSandboxThread)\b[^'"]*'[^']*sandbox\/src\//m.test(
        readFileSync(join(root, path), 'utf8'),
      ),
    )
  assert.deepEqual(found, [])
})

/** Returns the path of the imported file, or undefined if the import names a package. */
const targetOf = (path: string, from: string): string | undefined =>
  from.startsWith('.')
    ? normalize(join(dirname(path), from))
        .split(sep)
        .join('/')
    : undefined

type Graph = ReadonlyMap<string, readonly string[]>

const graphOf = (files: ReadonlyMap<string, string>): Graph =>
  new Map([...files].map(([path, source]) => [path, importsOf(source).flatMap(({ from }) => targetOf(path, from) ?? [])]))

/** Returns cycles of imports; empty if there is none. It may not find all of them. Imports of types count, too. */
function circles(graph: Graph): string[] {
  const found = new Map<string, string>()
  const done = new Set<string>()
  const visit = (path: string, way: readonly string[]) => {
    const at = way.indexOf(path)
    if (at >= 0) {
      const circle = way.slice(at)
      found.set([...circle].sort().join(), [...circle, path].join(' > '))
      return
    }
    if (done.has(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...way, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return [...found.values()]
}

/**
 * Folders of a shard, in rows from top to bottom. Of these folders, a folder may import, even types, only those of its
 * own row and of lower rows.
 */
const ROOMS: readonly (readonly string[])[] = [
  ['operations', 'stanzas'],
  ['send', 'receive', 'media'],
  ['retry', 'receipts', 'app-state'],
  ['chats', 'directory', 'groups', 'lifecycle', 'messages', 'queue', 'webhooks'],
  ['connection'],
  // `connection` uses these folders: the translation of messages, and the socket.
  ['translate', 'network'],
  ['keys', 'baileys'],
  ['wire', 'context', 'durable-line', 'usage'],
]
const SHARD = 'workers/shard/'

/**
 * Returns the row of a file's folder. It is -1 (above all rows) for a file directly in `workers/shard`, or if the
 * folder has no row. Undefined for a file outside of the shard.
 */
function rowOf(path: string): number | undefined {
  if (!path.startsWith(SHARD)) return undefined
  const [room, ...rest] = path.slice(SHARD.length).split('/')
  return rest.length === 0 ? -1 : ROOMS.findIndex((row) => row.includes(room!))
}

function upwards(graph: Graph): string[] {
  return [...graph].flatMap(([path, targets]) => {
    const own = rowOf(path)
    if (own === undefined) return []
    return targets.flatMap((target) => {
      const theirs = rowOf(target)
      return theirs !== undefined && theirs < own ? [`${path} must not look up to ${target}`] : []
    })
  })
}

const ours = () =>
  graphOf(
    new Map([...sources('src'), ...sources('workers')].map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)),
  )

test('no file imports in a circle', () => {
  assert.deepEqual(circles(ours()), [])
})

/**
 * Folders that may have many files, because each subject has one: the translations of messages, and the builders of
 * stanzas.
 */
const MANY = ['workers/shard/translate/', 'workers/shard/wire/']

test('no folder of a shard has more than fifteen files', () => {
  const sizes = new Map<string, number>()
  for (const path of sources('workers/shard')) sizes.set(`${dirname(path)}/`, (sizes.get(`${dirname(path)}/`) ?? 0) + 1)
  const full = [...sizes].filter(([folder, size]) => size > 15 && !MANY.some((many) => folder.startsWith(many)))
  assert.deepEqual(full, [])
})

test('the rooms of a shard import downwards only', () => {
  const graph = ours()
  for (const path of graph.keys()) if (path.startsWith(SHARD)) assert.ok((rowOf(path) ?? 0) >= -1, path)
  const rooms = new Set(ROOMS.flat())
  for (const path of graph.keys()) {
    const [room, ...rest] = path.startsWith(SHARD) ? path.slice(SHARD.length).split('/') : []
    if (rest.length > 0) assert.ok(rooms.has(room!), `${room} is in no row`)
  }
  assert.deepEqual(upwards(graph), [])
})

describe('the order notices', () => {
  const graph = (files: Record<string, string>) => graphOf(new Map(Object.entries(files)))

  test('a circle of types over three files', () => {
    const found = circles(
      graph({
        'src/a.ts': "import type { B } from './b.ts'",
        'src/b.ts': "import { c } from './c.ts'",
        'src/c.ts': "export type { A } from './a.ts'",
      }),
    )
    assert.deepEqual(found, ['src/a.ts > src/b.ts > src/c.ts > src/a.ts'])
  })

  test('two ways to one file, which are no circle', () => {
    const found = circles(
      graph({ 'src/a.ts': "import './b.ts'\nimport './c.ts'", 'src/b.ts': "import './c.ts'", 'src/c.ts': '' }),
    )
    assert.deepEqual(found, [])
  })

  test('a room that looks up, by a type alone', () => {
    const up = graph({ 'workers/shard/connection/connection.ts': "import type { Sent } from '../retry/sent.ts'" })
    assert.equal(upwards(up).length, 1)
    const beside = graph({ 'workers/shard/queue/item.ts': "import type { Outbox } from '../webhooks/contract.ts'" })
    assert.deepEqual(upwards(beside), [])
    const whole = graph({ 'workers/shard/send/relay.ts': "import type { ShardDeps } from '../shard-deps.ts'" })
    assert.equal(upwards(whole).length, 1)
  })
})
