/**
 * Tests that queries are sent with `ask`, which handles the deadline, the end of the socket and error codes. Handlers
 * of operations, and functions that they call to send, must not do this themselves.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../harness/checkout.ts'

const root = fileURLToPath(ROOT)
const SHARD = 'workers/shard/'

const ASKING = ['operations/', 'send/', 'media/'].map((room) => SHARD + room)
/** The module of `ask`, and the modules that send queries without it. The socket adds the deadline to their queries. */
const QUERYING = [
  'connection/ask.ts',
  'connection/mex.ts',
  // `ask` calls the functions of these modules, which send queries themselves. Callers that need the same answer about
  // groups at the same time share it, and a change of the app state needs several queries.
  'groups/group-metadata.ts',
  'groups/list-reading.ts',
  'app-state/app-state-changes.ts',
  // These modules send queries that no request causes: as a step of the connection, or because of a stanza.
  'app-state/app-state-reader.ts',
  'connection/pairing/companion-registration.ts',
  'connection/pairing/pairing-code.ts',
  'connection/pairing/passkey-query.ts',
  // This module queries the devices, keys and tokens of recipients.
  'connection/socket/connection-queries.ts',
].map((file) => SHARD + file)
/** Module of uploads, which go over HTTP to the network's media host and are no queries. */
const UPLOAD = `${SHARD}media/upload.ts`

const code = (source: string) => source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')

const RULES: readonly { sentence: string; of(path: string): boolean; found: RegExp }[] = [
  {
    sentence: 'holds the socket',
    of: (path) => ASKING.some((room) => path.startsWith(room)),
    found: /\bWASocket\b|\bSocketSession\b|\bConnection\b|\.sock\b|\bsock\s*[},:]|\bcreateAsk\b/,
  },
  {
    sentence: 'has a deadline of its own',
    of: (path) => ASKING.some((room) => path.startsWith(room)) && path !== UPLOAD,
    found: /\b(within|untilEnd|bounded|boundedQuery|withDeadline)\(|\bsetTimeout\(|\b\w*DEADLINE = /,
  },
  {
    sentence: 'says what a code of the network means',
    of: (path) => ASKING.some((room) => path.startsWith(room)),
    found: /\b(actionFailure|networkCode)\(/,
  },
  {
    sentence: 'sends a query',
    of: (path) => path.startsWith(SHARD) && !path.startsWith(`${SHARD}network/`) && !QUERYING.includes(path),
    found: /\bsock\.query\(/,
  },
]

const violations = (path: string, source: string): string[] =>
  RULES.filter(({ of, found }) => of(path) && found.test(code(source))).map(({ sentence }) => `${path} ${sentence}`)

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
}

test('whatever a handler does, it asks the network in one way', () => {
  const files = sources('workers/shard')
  assert.ok(ASKING.every((room) => files.some((path) => path.startsWith(room))))
  assert.ok([...QUERYING, UPLOAD].every((path) => files.includes(path)))
  assert.deepEqual(
    files.flatMap((path) => violations(path, readFileSync(join(root, path), 'utf8'))),
    [],
  )
})

describe('it is noticed that', () => {
  const broken: readonly [what: string, path: string, source: string][] = [
    ['a handler takes the socket out of its session', 'operations/labels.ts', 'const { sock } = session'],
    ['a handler goes through its session', 'operations/labels.ts', 'await session.sock.addLabel(label)'],
    ['a send is given a session with a socket', 'send/relay.ts', "import type { SocketSession } from '../chats/session.ts'"],
    ['a send has a deadline', 'send/relay.ts', 'await within(session, 60_000, relayed)'],
    ['a handler has a deadline', 'operations/labels.ts', 'const LABEL_DEADLINE = 20_000'],
    ['a handler reads the code out of an error', 'operations/labels.ts', 'if (networkCode(error) === 404) throw notFound()'],
    ['somebody else sends a query', 'receive/notices.ts', 'const answer = await sock.query(question)'],
  ]
  for (const [what, path, source] of broken) test(what, () => assert.equal(violations(SHARD + path, source).length, 1))

  test('a comment is no code', () => assert.deepEqual(violations(`${SHARD}send/relay.ts`, '// not session.sock'), []))
})
