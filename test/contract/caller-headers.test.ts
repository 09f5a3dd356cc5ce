/**
 * Tests every status in the table in src/http/README.md of the headers that say who the caller is, and the number of
 * headers of a request. The files of `src/http` and `src/features` that read such a header must be in its row.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Listening, listen } from '../../src/serve.ts'
import { ROOT } from '../harness/checkout.ts'
import { ADMIN_KEY, openService, type Service } from './http/service.ts'

const root = fileURLToPath(ROOT)

interface Row {
  names: string[]
  readers: string[]
  absent: number
  twice: number
  tooLong: number
  folded: number
}

const coded = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word!)
const statusIn = (cell: string) => Number(coded(cell)[0])

const ROWS: readonly Row[] = readFileSync(join(root, 'src/http/README.md'), 'utf8')
  .split('## Headers that decide who the caller is')[1]!
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [, names = '', , readers = '', absent = '', twice = '', tooLong = '', folded = ''] = line.split('|')
    return {
      names: coded(names),
      readers: coded(readers),
      absent: statusIn(absent),
      twice: statusIn(twice),
      tooLong: statusIn(tooLong),
      folded: statusIn(folded),
    }
  })

type Line = readonly [name: string, value: string]

let open: Service
let closed: Service
const servers: Listening[] = []
before(async () => {
  // `open` shows its metrics only to callers on this machine or in a private network. `closed` requires a credential
  // for them.
  open = await openService({ hasMetricsToken: false, trustedProxies: ['127.0.0.1'] })
  open.peer.address = '127.0.0.1'
  closed = await openService({ dashboard: { mode: 'on' } })
  for (const service of [open, closed]) {
    const server = await listen({ host: '127.0.0.1', port: 0 })
    server.serve(() => service.app)
    servers.push(server)
  }
})
after(async () => {
  for (const server of servers) await server.stop(0)
  await open.close()
  await closed.close()
})

interface Answered {
  status: number
  head: string
  body: string
}

async function send(service: Service, start: string, lines: readonly Line[], body = ''): Promise<Answered> {
  const { url } = servers[service === open ? 0 : 1]!
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let text = ''
  socket.on('data', (piece) => {
    text += String(piece)
  })
  const sized: Line[] = body === '' ? [] : [['Content-Length', String(body.length)]]
  const all: Line[] = [...lines, ...sized, ['Connection', 'close']]
  socket.write([`${start} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n'))
  await once(socket, 'close')
  const [head = '', ...rest] = text.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body: rest.join('\r\n\r\n') }
}

interface Right {
  service: Service
  start: string
  others: Line[]
  /** Value of the header: a correct one, or any value if the header is always refused. */
  value: string
  /** Value of the second line, if the test sends the header in two lines with different values. */
  again?: string
}

const metrics = (value: string, again = value): Right => ({
  service: open,
  start: 'GET /metrics',
  others: [['Host', 'localhost']],
  value,
  again,
})

async function dashboard(header: string): Promise<Right> {
  const page: Line[] = [
    ['Host', 'gw.test'],
    ['Origin', 'http://gw.test'],
    ['Sec-Fetch-Site', 'same-origin'],
  ]
  const key = JSON.stringify({ admin_key: ADMIN_KEY })
  const signed = await send(closed, 'POST /dashboard/session', [...page, ['X-Svc-Dashboard', '1']], key)
  assert.equal(signed.status, 201, signed.body)
  const cookie = /^set-cookie: ([^;]+)/im.exec(signed.head)![1]!
  const { proof } = JSON.parse(signed.body) as { proof: string }
  const all: Line[] = [...page, ['Cookie', cookie], ['X-Svc-Dashboard', proof]]
  return {
    service: closed,
    start: 'GET /dashboard/api/sessions',
    others: all.filter(([name]) => name !== header),
    value: all.find(([name]) => name === header)![1],
  }
}

async function instanceRoute(): Promise<Right> {
  await closed.changeWorkspace(({ security }) => ({ security: { ...security, requireApiKey: true } }))
  const { base } = await closed.newInstance()
  const { value } = await closed.newKey(['instances:operate'])
  return { service: closed, start: `GET ${base}/me`, others: [['Host', 'gw.test']], value }
}

async function passkeyTicket(): Promise<Right> {
  const { base } = await open.newInstance()
  const { body } = await open.ask('POST', `${base}/passkey/ticket`)
  return { service: open, start: 'GET /passkey', others: [['Host', 'gw.test']], value: body.ticket }
}

/**
 * A correct request for each header, except for those that are refused whenever they are present: for these, the test
 * uses `passedOn`.
 */
const RIGHT: Record<string, () => Right | Promise<Right>> = {
  Host: () => ({ ...metrics('localhost'), others: [] }),
  'X-Forwarded-For': () => metrics('127.0.0.1', '203.0.113.9'),
  Authorization: () => ({
    service: closed,
    start: 'GET /admin/security',
    others: [['Host', 'gw.test']],
    value: `Bearer ${ADMIN_KEY}`,
  }),
  'Client-Token': instanceRoute,
  Cookie: () => dashboard('Cookie'),
  'X-Svc-Dashboard': () => dashboard('X-Svc-Dashboard'),
  Origin: () => dashboard('Origin'),
  'Sec-Fetch-Site': () => dashboard('Sec-Fetch-Site'),
  'X-Passkey-Ticket': passkeyTicket,
}
const passedOn = () => metrics('localhost')

describe('a header that decides who the caller is', () => {
  for (const row of ROWS)
    for (const name of row.names)
      test(name, async () => {
        const isPresenceAlone = RIGHT[name] === undefined
        const { service, start, others, value, again = value } = await (RIGHT[name] ?? passedOn)()
        const sent = async (...values: string[]) =>
          (await send(service, start, [...others, ...values.map((each): Line => [name, each])])).status
        assert.equal(await sent(value), isPresenceAlone ? row.twice : 200, 'sent once')
        assert.equal(await sent(), row.absent, 'absent')
        assert.equal(await sent(value, again), row.twice, 'sent twice')
        assert.equal(await sent(value + ' '.repeat(20_000) + value), row.tooLong, 'too long')
        assert.equal(await sent(`${value}\r\n ${value}`), row.folded, 'folded')
      })

  test('has a bound of its own where it is a credential', async () => {
    for (const name of ['Authorization', 'Client-Token', 'X-Passkey-Ticket']) {
      const { service, start, others, value } = await RIGHT[name]!()
      assert.equal((await send(service, start, [...others, [name, value + 'a'.repeat(257)]])).status, 401, name)
    }
  })
})

test('a head has at most 200 headers, and what is beyond is refused with our body', async () => {
  const head = (count: number): Line[] => [
    ['Host', 'localhost'],
    ...Array.from({ length: count - 2 }, (_, index): Line => [`n${index}`, '']),
  ]
  assert.equal((await send(open, 'GET /metrics', head(200))).status, 200)
  for (const count of [201, 232, 233, 999, 1_001, 4_000]) {
    const { status, body, head: answered } = await send(open, 'GET /metrics', head(count))
    assert.equal(status, 431, `${count} headers`)
    assert.match(answered, /^x-request-id: [0-9A-Z]{26}$/im)
    const message = count < 4_000 ? 'must have at most 200 headers' : 'must have at most 16 KB of headers'
    assert.deepEqual(JSON.parse(body).error.details.issues, [{ path: '', message }])
  }
})

test('two Host headers are refused, and so is none', async () => {
  for (const [hosts, message] of [
    [['localhost', 'localhost'], 'must not be sent more than once'],
    [['gw.test', 'evil.example'], 'must not be sent more than once'],
    [[], 'is required'],
  ] as const) {
    const lines = hosts.map((host, index): Line => [index === 0 ? 'Host' : 'hOST', host])
    const { status, body } = await send(open, 'GET /health/live', lines)
    assert.equal(status, 400)
    assert.deepEqual(JSON.parse(body).error.details.issues, [{ path: 'Host', message }])
  }
})

/**
 * Headers that describe the request itself: its content and the expected answer. They do not decide who the caller is,
 * so they are not in the table.
 */
const OF_THE_REQUEST = new Set([
  'Accept',
  'Accept-Encoding',
  'Access-Control-Request-Headers',
  'Access-Control-Request-Method',
  'Content-Length',
  'Content-Type',
  'Accept-Language',
  'Idempotency-Key',
  'If-None-Match',
  'Last-Event-ID',
  'Prefer',
  'User-Agent',
  'X-Dialect',
  'X-Request-Id',
])
const NAMED: Record<string, string[]> = {
  FORWARDED_FOR: ['X-Forwarded-For'],
  'IDEMPOTENCY_KEY.name': ['Idempotency-Key'],
  'PREFER.name': ['Prefer'],
  LAST_EVENT_ID: ['Last-Event-ID'],
  DIALECT_HEADER: ['X-Dialect'],
  DASHBOARD_HEADER: ['X-Svc-Dashboard'],
  TICKET_HEADER: ['X-Passkey-Ticket'],
}

const sources = ['src/http', 'src/features'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name)),
)

/**
 * Returns the names of the request headers that a source file reads. The files that are searched read no headers of
 * answers.
 */
function readBy(source: string): string[] {
  const relayed = /const RELAYED = \[([^\]]*)\]/.exec(source)?.[1] ?? ''
  const listed = [...relayed.matchAll(/'([^']+)'/g)].map(([, name]) => name!)
  const asked = [...source.matchAll(/(?:\bheaders\.(?:get|has)|\bheader)\(\s*(?:'([^']+)'|([A-Za-z_.]+))\s*\)/g)]
  const names = asked.flatMap(([whole, name, constant]) => {
    if (name !== undefined) return name
    // `name` is the variable of the loop over RELAYED, whose names are added below.
    if (constant === 'name') return []
    assert.ok(NAMED[constant!], `${whole}: the test does not know which header this is`)
    return NAMED[constant!]!
  })
  const cookie = /\bgetCookie\(/.test(source) ? ['Cookie'] : []
  return [...names, ...listed, ...cookie]
}

test('has a row for each place that reads it', () => {
  const found = new Map<string, Set<string>>([['Host', new Set(['request-head.ts'])]])
  for (const path of [...sources, join(root, 'src/serve.ts')])
    for (const name of readBy(readFileSync(path, 'utf8'))) {
      if (OF_THE_REQUEST.has(name)) continue
      const readers = found.get(name) ?? new Set()
      found.set(name, readers.add(path.slice(join(root, 'src/').length)))
    }
  const told = new Map(ROWS.flatMap(({ names, readers }) => names.map((name) => [name, [...readers].sort()])))
  assert.deepEqual(
    Object.fromEntries([...told].sort()),
    Object.fromEntries([...found].map(([name, readers]) => [name, [...readers].sort()] as const).sort()),
  )
})
