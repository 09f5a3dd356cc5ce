/**
 * Holds what is stored against a list of what `FORMAT` stands for. Members of two releases use a store at the same
 * time, and a higher `FORMAT` keeps an older release away from records and columns that it cannot use.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FORMAT, makeTables } from '../../../src/storage/drivers/postgres/tables.ts'
import { ROOT } from '../../harness/checkout.ts'

interface Stored {
  format: number
  /** Versions by the names of the kinds of records, and of values that have a form of their own. */
  kinds: Record<string, number>
  /** Columns with their types, by table. */
  tables: Record<string, readonly string[]>
}

/**
 * The contents of stores of this format. Change this list last, and never alone: the messages of this test say what
 * else to do.
 */
const LISTED: Stored = {
  format: 6,
  kinds: {
    'API key': 1,
    'OAuth app': 1,
    'OAuth client': 1,
    'OAuth code': 1,
    'OAuth consent': 1,
    acknowledgement: 1,
    'activity of an instance': 1,
    'answer to an order': 1,
    'archived instance configuration': 1,
    'chart of the service': 1,
    'connect link': 1,
    'dashboard session': 1,
    'directory of *s': 1,
    'expiry of a chat': 1,
    'fact of a message': 1,
    group: 1,
    'held times': 1,
    'imported device': 1,
    'inbox journal': 1,
    'instance configuration': 1,
    'instance state': 1,
    'interest in events': 1,
    'keys of an imported device': 1,
    'last use': 1,
    'list of groups': 1,
    'message secret': 1,
    'order to the service': 1,
    'queue item': 1,
    'refused import': 1,
    'ringing call': 1,
    'roles of a group': 1,
    'saved contact': 2,
    'src/storage/sealer.ts': 1,
    'status history': 1,
    'target of a moved instance': 1,
    'ticket of a browser extension': 1,
    'told budgets': 1,
    'waiting message': 1,
    'web client version': 1,
    'webhook log row': 1,
    'workers/shard/wire/app-state-collection.ts': 1,
    workspace: 2,
  },
  tables: {
    svc_state: ['scope uuid', 'key text', 'value bytea'],
    svc_writer: [
      'id uuid',
      'service uuid',
      'thread int',
      'is_service boolean',
      'made_at timestamptz',
      'seq bigint',
      'generation int',
      'is_over boolean',
    ],
    svc_service: [
      'id uuid',
      'writer uuid',
      'name text',
      'release text',
      'state text',
      'host text',
      'port int',
      'peer_port int',
      'leaving boolean',
      'since timestamptz',
      'beat bigint',
      'seen_at timestamptz',
      'former text',
      'takeover text',
    ],
    svc_home: ['instance uuid', 'writer uuid', 'wanted uuid', 'epoch bigint', 'taken_over_at timestamptz'],
    svc_cluster: ['one boolean', 'version bigint'],
    svc_change: ['version bigint', 'key text', 'at timestamptz'],
    svc_key: ['name text', 'first bytea', 'second bytea'],
    svc_blob: ['owner text', 'name text', 'size bigint', 'piece int', 'bytes bytea'],
    svc_meta: ['key text', 'value text'],
  },
}

const RAISE =
  'Raise FORMAT in src/storage/drivers/postgres/tables.ts, and say in CHANGELOG.md that members cannot be upgraded one after the other; then write the new format into the list of this test.'

/** Returns a sentence for each difference from the list that says what its author must do. */
function differences(listed: Stored, found: Stored): string[] {
  if (found.format !== listed.format)
    return [`The list is that of format ${listed.format}: write format ${found.format} into it, with ${JSON.stringify(found)}.`]
  const named = (what: Stored): ReadonlyMap<string, number | string> =>
    new Map<string, number | string>([
      ...Object.entries(what.kinds).map(([name, version]) => [`The kind "${name}"`, version] as const),
      ...Object.entries(what.tables).flatMap(([table, columns]) =>
        columns.map((column) => {
          const [name, type] = column.split(' ') as [string, string]
          return [`The column "${table}.${name}"`, type] as const
        }),
      ),
    ])
  const before = named(listed)
  const now = named(found)
  return [
    ...[...now]
      .filter(([what, form]) => before.has(what) && before.get(what) !== form)
      .map(
        ([what, form]) => `${what} has changed from ${before.get(what)} to ${form}, which an older release cannot use. ${RAISE}`,
      ),
    ...[...before.keys()]
      .filter((what) => !now.has(what))
      .map((what) => `${what} is gone, and an older release needs it. ${RAISE}`),
    ...[...now.keys()]
      .filter((what) => !before.has(what))
      .map(
        (what) =>
          `${what} is new. If an older release beside this one may ignore it, add it to the list, and a column to ADDED of tables.ts. If not: ${RAISE}`,
      ),
  ]
}

/** Returns the text from the bracket at `from` to the one that closes it. */
function bracketed(text: string, from: number, [open, close]: readonly [string, string]): string {
  for (let at = from, depth = 0; at < text.length; at++) {
    if (text[at] === open) depth++
    if (text[at] === close && --depth === 0) return text.slice(from, at + 1)
  }
  throw new Error(`The bracket at ${from} is never closed.`)
}

const CALL = /\brepository(?:<[^(]*>)?\((?=\{)/g
/** Values that are not records of `repository.ts`, and have a number of their form in front: each in its file. */
const FORMS = {
  'src/storage/sealer.ts': /^const VERSION = (\d+)$/m,
  'workers/shard/wire/app-state-collection.ts': /^const FORMAT = (\d+)$/m,
}

function kindsIn(file: string): [name: string, version: number][] {
  const text = readFileSync(join(fileURLToPath(ROOT), file), 'utf8')
  return [...text.matchAll(CALL)].map((call) => {
    const options = bracketed(text, call.index + call[0].length, ['{', '}'])
    const name = options.match(/\bname: (['`])(.+?)\1/)?.[2]
    const version = options.match(/\bversion: (\d+)/)?.[1]
    assert.ok(
      name !== undefined && version !== undefined,
      `The kind in ${file} has no name or no version that this test can read: ${options}`,
    )
    return [name.replace(/\$\{.*?\}/g, '*'), Number(version)]
  })
}

function found(): Stored {
  const root = fileURLToPath(ROOT)
  const files = ['src', 'workers'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  )
  const forms = Object.entries(FORMS).map(([file, form]) => {
    const version = readFileSync(join(root, file), 'utf8').match(form)?.[1]
    return [file, Number(version)] as const
  })
  const kinds = files.filter((file) => file !== join('src', 'storage', 'repository.ts')).flatMap(kindsIn)
  const names = kinds.map(([name]) => name)
  assert.deepEqual([...new Set(names)].sort(), names.sort(), 'Two kinds of records have one name.')
  return { format: FORMAT, kinds: Object.fromEntries([...kinds, ...forms].sort()), tables: tablesOf(makeTables('s', false).text) }
}

function tablesOf(sql: string): Record<string, string[]> {
  const tables = [...sql.matchAll(/CREATE TABLE IF NOT EXISTS "s"\.(\w+) (?=\()/g)].map((table) => {
    const columns = bracketed(sql, table.index + table[0].length, ['(', ')']).slice(1, -1)
    const named = columns.split(/,(?![^(]*\))/).map((column) => column.trim().split(/\s+/))
    return [table[1], named.filter(([first]) => first !== 'PRIMARY').map(([name, type]) => `${name} ${type}`)] as const
  })
  return Object.fromEntries(tables)
}

test('a record, a table or a column changes only with the format that keeps older releases away', () => {
  assert.deepEqual(differences(LISTED, found()), [])
})

test('a version that rises under the same format is a difference, and so is a new kind or a removed column', () => {
  const listed: Stored = { format: 1, kinds: { group: 1 }, tables: { svc_home: ['instance uuid', 'epoch bigint'] } }
  const now: Stored = { format: 1, kinds: { group: 2, order: 1 }, tables: { svc_home: ['instance uuid'] } }
  assert.deepEqual(
    differences(listed, now).map((sentence) => sentence.match(/^.*?(changed|gone|new)/)?.[0]),
    ['The kind "group" has changed', 'The column "svc_home.epoch" is gone', 'The kind "order" is new'],
  )
  assert.match(differences(listed, { ...now, format: 2 }).join(), /^The list is that of format 1: write format 2/)
})
