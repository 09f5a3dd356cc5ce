/**
 * A caller behind a reverse proxy must not be able to change its address by header lines of its own, even if they are
 * repeated or folded.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { must } from '../harness/http.ts'
import {
  CALLER,
  type FrontProxy,
  type HeaderLine,
  nginxMissing,
  type ProxyRoute,
  startNginx,
  startProxy,
} from '../harness/proxies.ts'
import { startWorld } from '../harness/world.ts'

/** Addresses of two proxies. The service trusts the headers of the first proxy, but not those of the second. */
const TRUSTED = '127.0.0.1'
const UNTRUSTED = '127.0.0.2'
/** Addresses of two callers. The allowlists contain the first one, but not the second one. */
const INSIDE = '127.0.0.1'
const OUTSIDE = '203.0.113.9'

const world = await startWorld({
  env: { SVC_TRUSTED_PROXIES: TRUSTED, SVC_ADMIN_ALLOWED_IPS: INSIDE, SVC_DASHBOARD: 'loopback', SVC_LOG_LEVEL: 'error' },
})
const { gateway } = world
const instance = await gateway.createInstance(null)
const allowlist = { enabled: true, entries: [{ cidr: `${INSIDE}/32`, note: null }] }
await must('PUT', `${gateway.baseUrl}/admin/security/ip-allowlist`, allowlist, gateway.admin)
after(() => world.stop())

async function statusOf(port: number, path: string, lines: readonly HeaderLine[]): Promise<number> {
  const head = [`GET ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), 'Connection: close', '', ''].join(
    '\r\n',
  )
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (piece) => {
    text += String(piece)
  })
  socket.write(head)
  await once(socket, 'close')
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])
}

interface Asked {
  what: string
  path(): string
  headers(): HeaderLine[]
  /** The expected status for a caller whose address is not allowed. */
  refused: number
}

const ASKED: readonly Asked[] = [
  {
    what: 'the administration',
    path: () => '/admin/security',
    headers: () => [['Authorization', world.gateway.admin.authorization]],
    refused: 403,
  },
  {
    what: 'an instance with an allowlist',
    path: () => `${new URL(instance.api_url).pathname}/status`,
    headers: () => [],
    refused: 403,
  },
  { what: 'the dashboard', path: () => '/dashboard/', headers: () => [], refused: 404 },
  { what: 'the metrics', path: () => '/metrics', headers: () => [], refused: 404 },
]

/** Returns this number of header lines, whose names sort between `Host` and `X-`. */
const many = (count: number): HeaderLine[] => Array.from({ length: count }, (_, index) => [`n${index}`, ''])
/** More header lines than Node keeps by default, so Node drops the last ones. */
const MANY = many(1_010)
const inside = (name: string): HeaderLine => [name, INSIDE]

const TRICKS: Record<string, { lines: HeaderLine[]; answered?: (refused: number) => readonly number[] }> = {
  nothing: { lines: [] },
  'a forged X-Forwarded-For': { lines: [inside('X-Forwarded-For')] },
  'two of them': { lines: [inside('X-Forwarded-For'), inside('x-forwarded-for')] },
  'an empty one': { lines: [['X-Forwarded-For', '']] },
  'the other headers of proxies': {
    lines: [['Forwarded', `for=${INSIDE}`], inside('X-Real-IP'), ['Via', '1.1 near'], ['X-Forwarded-Host', 'localhost']],
  },
  'a wish to have it removed': { lines: [['Connection', 'close, X-Forwarded-For']] },
  'more headers than are read': { lines: many(250), answered: () => [431] },
  // nginx itself refuses so many header lines.
  'so many that the header of the proxy is cut off': { lines: MANY, answered: () => [431, 400] },
  // nginx drops the second line of a folded header.
  'a folded one': { lines: [['X-Forwarded-For', `${INSIDE},\r\n ${INSIDE}`]], answered: (refused) => [400, refused] },
}

const PROXIES: Record<string, { skip: string | false; start(route: ProxyRoute): Promise<FrontProxy> }> = {
  nginx: { skip: nginxMissing, start: startNginx },
  'a proxy that sorts': { skip: false, start: (route) => startProxy('sorting', route) },
  'a proxy that appends': { skip: false, start: (route) => startProxy('appending', route) },
  'a proxy that merges': { skip: false, start: (route) => startProxy('merging', route) },
}

for (const [name, { skip, start }] of Object.entries(PROXIES))
  describe(`behind ${name}`, { skip }, () => {
    const proxies: FrontProxy[] = []
    const behind = async (from: string) => {
      const proxy = await start({ to: world.gateway.baseUrl, from })
      proxies.push(proxy)
      return proxy.port
    }
    after(() => Promise.all(proxies.map((proxy) => proxy.stop())))

    async function ask(port: number, caller: string, { path, headers }: Asked, lines: readonly HeaderLine[] = []) {
      const host: HeaderLine[] = [
        ['Host', '127.0.0.1'],
        [CALLER, caller],
      ]
      return statusOf(port, path(), [...host, ...headers(), ...lines])
    }

    test('that is trusted, a caller is who the proxy says', async () => {
      const port = await behind(TRUSTED)
      for (const asked of ASKED) {
        assert.equal(await ask(port, INSIDE, asked), 200, `${asked.what}, from inside`)
        for (const [trick, { lines, answered = (refused: number) => [refused] }] of Object.entries(TRICKS)) {
          const status = await ask(port, OUTSIDE, asked, lines)
          assert.ok(answered(asked.refused).includes(status), `${asked.what}, with ${trick}: ${status}`)
        }
      }
    })

    test('that is not trusted, nobody is near', async () => {
      const port = await behind(UNTRUSTED)
      for (const asked of ASKED)
        for (const [trick, { lines, answered = (refused: number) => [refused] }] of Object.entries(TRICKS)) {
          const status = await ask(port, INSIDE, asked, lines)
          assert.ok(answered(asked.refused).includes(status), `${asked.what}, with ${trick}: ${status}`)
        }
    })
  })

test('the block on wrong guesses counts a caller who hides', async () => {
  const proxy = await startProxy('sorting', { to: world.gateway.baseUrl, from: TRUSTED })
  const caller: HeaderLine[] = [
    ['Host', '127.0.0.1'],
    [CALLER, '203.0.113.77'],
    ['Authorization', 'Bearer svc_key_wrong'],
  ]
  const guess = (lines: HeaderLine[] = []) => statusOf(proxy.port, '/account/instances', [...caller, ...lines])
  try {
    for (let guesses = 0; guesses < 30; guesses++) assert.equal(await guess(), 401)
    assert.equal(await guess(), 429)
    assert.equal(await guess(MANY), 431)
  } finally {
    await proxy.stop()
  }
})
