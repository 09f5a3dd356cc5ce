/**
 * The commands in docs/moving.md print rows of another program's database, here with a real PostgreSQL and a real
 * Redis. The import must read the whole device from these rows, and no data of another session.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { type AuthenticationCreds, useMultiFileAuthState } from '@whiskeysockets/baileys'
import { type ProgramName, readDevice } from '../../../workers/portability/read-device.ts'
import { credsFrom } from '../../../workers/shard/keys/signal/codec.ts'
import { evolutionHash, evolutionRow, fazerHash, openwaRows, wahaRows } from '../../harness/library-stores.ts'
import { printedRows, type Stored, whatsmeowTables, zapoTables } from '../../harness/other-stores.ts'
import { type Cluster, noPostgres, startCluster } from '../../harness/postgres.ts'
import { type Redis, redisMissing, startRedis } from '../../harness/redis.ts'
import { installed, missing, sampleWith } from '../../harness/samples.ts'
import { KEYS, linked } from '../../unit/portability/device.ts'

const run = promisify(execFile)
const postgresMissing = noPostgres || missing('psql')
const PAGE = 'docs/moving.md'
const SALT = Buffer.alloc(32, 7)
/**
 * The session that the samples select with the variables `ID` and `NAME`, and another session in the same tables, which
 * they must not print.
 */
const [MINE, OTHERS] = ['default', 'of another account']
const PHONE = '+5511999990001'
/** Names of columns whose values are numbers in SQLite, although they are booleans. */
const FLAGS = new Set(['uploaded', 'server_has_prekeys'])

const url = () => (postgres ? `postgres:///postgres?user=svc&host=${encodeURIComponent(dirname(postgres.socket))}` : '')

let dir: string
let creds: AuthenticationCreds
let postgres: Cluster | undefined
let redis: Redis | undefined
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-samples-'))
  creds = linked()
  ;[postgres, redis] = await Promise.all([
    postgresMissing ? undefined : startCluster({ fsync: 'off' }),
    redisMissing ? undefined : startRedis(),
  ])
  await programs()
})
after(async () => {
  await Promise.all([postgres?.stop(), redis?.stop()])
  await rm(dir, { recursive: true, force: true })
})

/**
 * Writes small programs that replace those in the samples: `npm` stores the rows that it would import, and `redis-cli`
 * connects to the socket of the test's server.
 */
async function programs() {
  await mkdir(join(dir, 'bin'))
  const scripts = {
    npm: `case "$*" in "run cli -- instance import --from $7 rows.jsonl --stopped") cp rows.jsonl "$7.jsonl" ;; "run cli -- instance import --from baileys $8 --stopped") test -f "$8/creds.json" ;; *) echo "npm $*" >&2; exit 1 ;; esac`,
    'redis-cli': `exec ${installed('redis-cli')} -s ${redis?.socket} "$@"`,
  }
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(dir, 'bin', name), `#!/bin/sh\n${script}\n`)
    await chmod(join(dir, 'bin', name), 0o755)
  }
}

async function follow(words: string, variables: Record<string, string>): Promise<void> {
  const env = { ...process.env, PATH: `${join(dir, 'bin')}:${process.env.PATH}`, URL: url(), ...variables }
  const { stderr } = await run('sh', ['-eu', '-c', sampleWith(PAGE, words)], { cwd: dir, env })
  assert.equal(stderr, '')
}

const imported = async (from: ProgramName) => plain(await readDevice(from, join(dir, `${from}.jsonl`), { isOld: false }))

/**
 * Removes the key pair for pairings from a device. Each reading generates a new one, so otherwise two readings of the
 * same device would differ.
 */
const plain = ({ bundle: { creds: taken, identity, keys } }: Awaited<ReturnType<typeof readDevice>>) => ({
  identity,
  creds: { ...credsFrom(taken), pairingEphemeralKeyPair: undefined },
  keys: keys.map(([type, id, value]) => `${type} ${id} ${Buffer.from(value).toString('base64')}`).sort(),
})

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

function literal(name: string, value: Stored[string][number][string]): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`
  return FLAGS.has(name) ? String(value === 1) : typeof value === 'number' ? String(value) : quoted(value)
}

function typeOf(name: string, rows: Stored[string]): string {
  const value = rows.map((row) => row[name]).find((each) => each !== null)
  if (FLAGS.has(name)) return 'boolean'
  return value instanceof Uint8Array ? 'bytea' : typeof value === 'number' ? 'bigint' : 'text'
}

function statementsOf(stored: Stored, types: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(stored).flatMap(([table, rows]) => {
    const names = Object.keys(rows[0] ?? {})
    const columns = names.map((name) => `"${name}" ${types[name] ?? typeOf(name, rows)}`)
    const values = rows.map((row) => `(${names.map((name) => literal(name, row[name]!)).join(', ')})`)
    return [`create table "${table}" (${columns.join(', ')});`, `insert into "${table}" values ${values.join(', ')};`]
  })
}

async function fill(stored: Stored, types?: Readonly<Record<string, string>>): Promise<void> {
  const file = join(dir, 'tables.sql')
  await writeFile(file, statementsOf(stored, types).join('\n'))
  await run('psql', [url(), '-XqAt', '-v', 'ON_ERROR_STOP=1', '-f', file])
}

const withOthers = (stored: Stored, column: string): Stored =>
  Object.fromEntries(
    Object.entries(stored).map(([table, rows]) => [table, [...rows, ...rows.map((row) => ({ ...row, [column]: OTHERS }))]]),
  )

describe('tables in PostgreSQL', { skip: postgresMissing }, () => {
  async function read(from: ProgramName, stored: Stored) {
    const file = join(dir, 'expected.jsonl')
    await writeFile(file, printedRows(stored))
    return plain(await readDevice(from, file, { isOld: false }))
  }

  test('whatsmeow', async () => {
    const stored = whatsmeowTables({ creds, keys: KEYS }, SALT)
    await fill(stored)
    await follow('--from whatsmeow rows.jsonl', {})
    assert.deepEqual(await imported('whatsmeow'), await read('whatsmeow', stored))
  })

  test('zapo: one session of several', async () => {
    const stored = zapoTables({ creds, keys: KEYS }, SALT)
    await fill(withOthers(stored, 'session_id'))
    await follow('--from zapo rows.jsonl', { ID: MINE })
    assert.deepEqual(await imported('zapo'), await read('zapo', stored))
  })
})

describe("Baileys' state in PostgreSQL or Redis", () => {
  const device = () => ({ creds, keys: KEYS })
  before(async () => {
    if (postgresMissing) return
    await fill(withOthers({ Session: [evolutionRow(device(), MINE)] }, 'sessionId'), { createdAt: 'timestamp' })
  })
  const store = (key: string, hash: Record<string, string>) =>
    run(join(dir, 'bin', 'redis-cli'), ['hset', key, ...Object.entries(hash).flat()])
  async function libraryFolder(folder: string) {
    const { state, saveCreds } = await useMultiFileAuthState(folder)
    Object.assign(state.creds, creds)
    await Promise.all([state.keys.set(KEYS), saveCreds()])
    return folder
  }
  /** Reads the device from the library's folder. The device in the printed rows must be equal to it. */
  const expected = async () => plain(await readDevice('baileys', await libraryFolder(join(dir, 'folder')), { isOld: false }))

  test('OpenWA and WAHA: one session of several', { skip: postgresMissing }, async () => {
    await fill(withOthers({ baileys_auth_state: openwaRows(device(), MINE) }, 'sessionName'))
    await fill(withOthers({ waha_auth: wahaRows(device(), MINE) }, 'session_id'), { value: 'jsonb' })
    await follow('--from waha rows.jsonl', { NAME: MINE })
    assert.deepEqual(await imported('openwa'), await expected())
    assert.deepEqual(await imported('waha'), await expected())
  })

  test('OpenWA: one session of several, in SQLite', { skip: missing('sqlite3') }, async () => {
    const tables = statementsOf(withOthers({ baileys_auth_state: openwaRows(device(), MINE) }, 'sessionName'))
    await mkdir(join(dir, 'data'))
    await writeFile(join(dir, 'tables.sql'), tables.join('\n'))
    await run('sqlite3', [join(dir, 'data', 'openwa.sqlite'), '.read tables.sql'], { cwd: dir })
    await follow('openwa.sqlite', { NAME: MINE })
    assert.deepEqual(await imported('openwa'), await expected())
  })

  test('Evolution API: credentials in PostgreSQL, keys in Redis', { skip: postgresMissing || redisMissing }, async () => {
    await store(`evolution-cache:instance:${MINE}`, evolutionHash(device()))
    await follow('--from evolution rows.jsonl', { ID: MINE })
    assert.deepEqual(await imported('evolution'), await expected())
  })

  test('Evolution API without Redis: credentials in PostgreSQL, keys in files', { skip: postgresMissing }, async () => {
    const folder = await libraryFolder(join(dir, 'instances', OTHERS))
    await rm(join(folder, 'creds.json'))
    await follow('#>>', { ID: OTHERS })
    assert.deepEqual(plain(await readDevice('baileys', folder, { isOld: false })), await expected())
  })

  test('fazer-ai/baileys-api: a hash in Redis', { skip: redisMissing }, async () => {
    await store(`@baileys-api:connections:${PHONE}:authState`, fazerHash(device()))
    await follow('--from fazer rows.jsonl', { PHONE })
    assert.deepEqual(await imported('fazer'), await expected())
  })
})
