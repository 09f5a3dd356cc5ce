/**
 * How the network is reached (HOUSE.md, 4 and 5): by `ask`, which knows the deadline, the end of the socket and what codes mean. No handler,
 * and nothing that a handler calls to send, holds the socket, has a deadline of its own, or says itself what a code means.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../harness/checkout.ts'

const root = fileURLToPath(ROOT)
const SHARD = 'workers/shard/'

/** Modules that handlers call. */
const ASKING = ['operations/', 'send/', 'media/'].map((room) => SHARD + room)
/** `ask` and its neighbours: the deadline around a query is put here. */
const QUERYING = [
  'connection/ask.ts',
  'connection/mex.ts',
  // Not asked by anybody: a step of the connection itself, or what follows a stanza.
  'app-state/reading.ts',
  'connection/pairing/companion-registration.ts',
  'connection/pairing/passkey-ceremony.ts',
  'receive/effects/privacy-tokens.ts',
  'retry/session-renewal.ts',
  // One answer about all groups is for everybody who asks for it meanwhile, each by `ask`.
  'directory/participating.ts',
].map((file) => SHARD + file)
/** Two are run by `ask`: one answer about a group is for all who ask for it meanwhile, and a change of app state is several questions. */
const ANSWERED = ['connection/ask.ts', 'chats/group-cache.ts', 'app-state/change.ts'].map((file) => SHARD + file)
/** An upload is no query: it goes to the network's file host, by HTTP, for a quarter of an hour. */
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
    of: (path) => ASKING.some((room) => path.startsWith(room)) && path !== `${SHARD}send/outgoing.ts`,
    found: /\b(actionFailure|networkCode)\(/,
  },
  {
    sentence: 'puts a deadline around a query',
    of: (path) => path.startsWith(SHARD) && !QUERYING.includes(path),
    found: /from '[^']*baileys\/query\.ts'/,
  },
  {
    sentence: 'sends a query',
    of: (path) => path.startsWith(SHARD) && !path.startsWith(`${SHARD}baileys/`) && !ANSWERED.includes(path),
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
    ['somebody else bounds a query', 'chats/names.ts', "import { bounded } from '../baileys/query.ts'"],
    ['somebody else sends a query', 'receive/notices.ts', 'const answer = await sock.query(question)'],
  ]
  for (const [what, path, source] of broken) test(what, () => assert.equal(violations(SHARD + path, source).length, 1))

  test('a comment is no code', () => assert.deepEqual(violations(`${SHARD}send/relay.ts`, '// not session.sock'), []))
})
