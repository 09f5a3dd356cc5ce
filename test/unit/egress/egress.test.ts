import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { buildConnector } from 'undici'
import { literalAddress, parseRanges } from '../../../src/egress/addresses.ts'
import { type EgressOptions, guardedConnector } from '../../../src/egress/egress.ts'
import { type FetchFailed, guardedFetch } from '../../../src/egress/guarded-fetch.ts'
import { NameUnresolved } from '../../../src/egress/resolve.ts'
import { checkProxy, checkUrl, judge } from '../../../src/egress/targets.ts'
import { receiver } from '../webhooks/receiver.ts'

const LOOPBACK = parseRanges(['127.0.0.0/8', '::1'])

describe('addresses', () => {
  const refused = [
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.100.100.200',
    '192.0.0.192',
    '192.0.2.1',
    '198.18.0.1',
    '203.0.113.9',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    '::ffff:0:10.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::8.8.8.8',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2001::1',
    '2001:db8::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '100::1',
    '3fff::1',
    '4000::1',
    'not an address',
  ]
  for (const address of refused) test(`${address} is refused`, () => assert.equal(judge(address, []), 'refused'))

  for (const address of ['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '2002:808:808::1']) {
    test(`${address} is public`, () => assert.equal(judge(address, []), 'public'))
  }

  test('the allow list opens exactly its blocks, in every way to write an address', () => {
    const allow = parseRanges(['10.0.0.0/8', ' 192.168.7.7 ', 'fd00::/8'])
    for (const address of ['10.9.9.9', '192.168.7.7', '::ffff:10.0.0.1', 'fd12::1', '64:ff9b::10.0.0.1'])
      assert.equal(judge(address, allow), 'allowed')
    for (const address of ['11.0.0.1', '192.168.7.8', 'fc00::1']) assert.notEqual(judge(address, allow), 'allowed')
    assert.throws(() => parseRanges(['10.0.0.0/33']), /"10.0.0.0\/33" is not an address or a CIDR block/)
    assert.throws(() => parseRanges(['localhost']), /not an address/)
  })

  test('a literal host is recognised in every notation', () => {
    for (const host of ['127.0.0.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '127.1', '127.0.0.1.'])
      assert.equal(literalAddress(host), '127.0.0.1')
    assert.equal(literalAddress('[::1]'), '::1')
    assert.equal(literalAddress('localhost'), undefined)
  })
})

describe('a webhook URL when it is configured', () => {
  const good = [
    'https://example.com/hook',
    'https://example.com:8443/a?b=c',
    'https://8.8.8.8/x',
    'http://127.0.0.1:9000/hook',
    'https://[::1]/x',
    'http://receiver.internal/hook',
  ]
  for (const url of good) test(`${url} is taken`, () => assert.equal(checkUrl(url, LOOPBACK), undefined))

  const bad: [string, RegExp][] = [
    ['example.com/hook', /absolute/],
    ['/hook', /absolute/],
    ['ftp://example.com/', /https/],
    ['http://8.8.8.8/', /https/],
    ['https://user@example.com/', /user name/],
    ['https://:pw@example.com/', /user name/],
    ['https://example.com/#part', /fragment/],
    ['https://example.com/#', /fragment/],
    ['https://example.com:0/', /port 0/],
    ['https://10.0.0.1/', /private/],
    ['https://2852039166/', /private/],
    ['https://[::ffff:a9fe:a9fe]/', /private/],
    [`https://example.com/${'a'.repeat(2_048)}`, /at most 2048/],
    ['https://example.com/a\r\nHost: x', /line breaks/],
    ['https://exam\nple.com/', /line breaks/],
    ['https://example.com/\t', /control characters/],
    [' https://example.com/', /spaces/],
  ]
  for (const [url, why] of bad) test(`${url.slice(0, 40)} is refused`, () => assert.match(checkUrl(url, LOOPBACK) ?? '', why))

  test('a proxy is a scheme, a host, a port and credentials, and nothing else', () => {
    for (const url of [
      'http://proxy.example:3128',
      'http://proxy.example:3128/',
      'https://user:p%40ss@proxy.example',
      'socks5://user:pass@8.8.8.8:1080',
      'socks5://[2606:4700::1111]:1080',
    ])
      assert.equal(checkProxy(url, []), undefined, url)
    const bad: [string, RegExp][] = [
      ['proxy.example:3128', /http, https or socks5/],
      ['ftp://proxy.example', /http, https or socks5/],
      ['socks4://proxy.example', /http, https or socks5/],
      ['http://', /http, https or socks5/],
      ['http://proxy.example/path', /path/],
      ['socks5://proxy.example/path', /path/],
      ['http://proxy.example/?a=b', /query/],
      ['http://proxy.example?', /query/],
      ['socks5://proxy.example#', /fragment/],
      ['http://proxy.example:0', /port/],
      ['http://***@proxy.example', /placeholder \*\*\*/],
      ['http://proxy.example\r\n:80', /line breaks/],
      ['http://user:100%@proxy.example', /percent-encoded/],
      ['socks5://%ff:x@proxy.example', /percent-encoded/],
      [`socks5://${'u'.repeat(256)}:x@proxy.example`, /255 bytes/],
      [`http://${'p'.repeat(2_048)}.example`, /2048/],
      ['http://127.0.0.1:3128', /private/],
    ]
    for (const [url, why] of bad) assert.match(checkProxy(url, []) ?? '', why, url)
  })

  test('without an allow list there is no plain http at all', () => {
    assert.match(checkUrl('http://receiver.internal/hook', []) ?? '', /https/)
  })
})

describe('the guarded connector', () => {
  function recording(options: Partial<EgressOptions> & { names?: Record<string, string[]> } = {}) {
    const dialled: (readonly string[])[] = []
    const connector = guardedConnector({
      allow: [],
      plainHttp: 'public',
      resolve: async (name) => options.names?.[name] ?? Promise.reject(new NameUnresolved(name)),
      dial(_options, addresses, callback) {
        dialled.push(addresses)
        callback(new Error('recorded'), null)
      },
      ...options,
    })
    const to = (hostname: string, protocol = 'https:') =>
      new Promise<string>((resolve) =>
        connector({ hostname, protocol, port: '' } as buildConnector.Options, (...[error]) =>
          resolve(String((error as NodeJS.ErrnoException).code ?? error!.message)),
        ),
      )
    return { dialled, to }
  }

  for (const host of [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '169.254.169.254',
    '0',
  ]) {
    test(`never connects to ${host}`, async () => {
      const { dialled, to } = recording()
      assert.equal(await to(host), 'EGRESS_BLOCKED')
      assert.deepEqual(dialled, [])
    })
  }

  test('connects to the addresses that were checked, and to no others', async () => {
    let asked = 0
    const { dialled, to } = recording({ resolve: async () => (asked++ === 0 ? ['8.8.8.8', '2606:4700::1111'] : ['127.0.0.1']) })
    assert.equal(await to('rebinding.example'), 'recorded')
    assert.deepEqual(dialled, [['8.8.8.8', '2606:4700::1111']])
    assert.equal(await to('rebinding.example'), 'EGRESS_BLOCKED')
    assert.equal(dialled.length, 1)
  })

  test('a name with one private address is refused as a whole', async () => {
    const { dialled, to } = recording({ names: { 'mixed.example': ['8.8.8.8', '10.0.0.1'] } })
    assert.equal(await to('mixed.example'), 'EGRESS_BLOCKED')
    assert.equal(await to('none.example'), 'NAME_UNRESOLVED')
    assert.deepEqual(dialled, [])
  })

  test('webhooks use plain http only to the allow list', async () => {
    const names = { 'public.example': ['8.8.8.8'], 'inside.example': ['10.0.0.1'] }
    const { to } = recording({ names, allow: parseRanges(['10.0.0.0/8']), plainHttp: 'allow-listed' })
    assert.equal(await to('public.example', 'http:'), 'EGRESS_BLOCKED')
    assert.equal(await to('inside.example', 'http:'), 'recorded')
    assert.equal(await to('public.example', 'https:'), 'recorded')
  })
})

describe('a guarded fetch', () => {
  const limits = { allow: LOOPBACK, timeoutMs: 5_000, maxBytes: 1_000, maxRedirects: 2 }
  const problem = (name: string) => (error: FetchFailed) => error.problem === name

  test('brings body, status and headers, also from behind redirects and an encoding nobody asked for', async (t) => {
    const to = await receiver(t, ({ path }) =>
      path === '/file'
        ? (r) => r.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(gzipSync('hello'))
        : (r) => r.writeHead(302, { location: '/file#x' }).end(),
    )
    const found = await guardedFetch(`${to.url}/start`, limits)
    assert.deepEqual([found.status, found.url, Buffer.from(found.body).toString()], [200, `${to.url}/file`, 'hello'])
    assert.equal(found.headers['content-type'], 'text/plain')
    assert.equal((await guardedFetch(`${(await receiver(t, () => 404)).url}/x`, limits)).status, 404)
  })

  test('names itself to the host, also behind redirects, unless the caller has another name', async (t) => {
    const to = await receiver(t, ({ path }) => (path === '/near' ? (r) => r.writeHead(302, { location: '/file' }).end() : 200))
    await guardedFetch(`${to.url}/near`, limits)
    await guardedFetch(`${to.url}/file`, { ...limits, headers: { 'user-agent': 'Other/2' } })
    assert.deepEqual(
      to.received.map(({ headers }) => headers['user-agent']),
      ['Svc-Fetch/1.0', 'Svc-Fetch/1.0', 'Other/2'],
    )
  })

  test('shows the user and password of a URL to the host it names, and to no other', async (t) => {
    const other = await receiver(t)
    const to = await receiver(t, ({ path }) => {
      const location = { '/away': `${other.url}/`, '/near': '/file' }[path]
      return location === undefined ? 200 : (r) => r.writeHead(302, { location }).end()
    })
    const at = (path: string) => `http://us%40er:p%C3%A4%3Ass@127.0.0.1:${to.port}${path}`
    await guardedFetch(at('/near'), limits)
    await guardedFetch(at('/away'), limits)
    await guardedFetch(`${to.url}/plain`, limits)
    const shown = to.received.map(({ path, headers }) => [path, headers.authorization])
    const basic = `Basic ${Buffer.from('us@er:pä:ss').toString('base64')}`
    assert.deepEqual(shown, [
      ['/near', basic],
      ['/file', basic],
      ['/away', basic],
      ['/plain', undefined],
    ])
    assert.equal(other.received[0]?.headers.authorization, undefined)
    await guardedFetch(`http://%ff%:%zz@127.0.0.1:${to.port}/odd`, limits)
    const odd = to.received.at(-1)?.headers.authorization?.split(' ')[1] ?? ''
    assert.equal(Buffer.from(odd, 'base64').toString('latin1'), '\xff%:%zz')
  })

  test('looks up a name once and connects to what was checked', async (t) => {
    const to = await receiver(t)
    const resolve = async () => ['127.0.0.1']
    assert.equal((await guardedFetch(`http://files.example:${to.port}/`, { ...limits, egress: { resolve } })).status, 200)
    assert.equal(to.received[0]!.headers.host, `files.example:${to.port}`)
  })

  test('stops at too many bytes, too many redirects, too much time, a bomb, and anything that is not the web', async (t) => {
    const to = await receiver(t, ({ path }) => {
      if (path === '/loop') return (r) => r.writeHead(301, { location: '/loop' }).end()
      if (path === '/declared') return (r) => r.writeHead(200, { 'content-length': '5000' }).end('x'.repeat(5_000))
      if (path === '/bomb') return (r) => r.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(100_000)))
      if (path === '/not-gzip') return (r) => r.writeHead(200, { 'content-encoding': 'gzip' }).end('plain')
      if (path === '/not-brotli') return (r) => r.writeHead(200, { 'content-encoding': 'br' }).end('plain'.repeat(9))
      if (path === '/unknown') return (r) => r.writeHead(200, { 'content-encoding': 'lzw' }).end('plain')
      if (path === '/hang') return () => {}
      if (path === '/file') return (r) => r.writeHead(302, { location: 'file:///etc/passwd' }).end()
      return (r) => {
        r.writeHead(200)
        for (let i = 0; i < 50; i++) r.write('y'.repeat(100))
        r.end()
      }
    })
    await assert.rejects(guardedFetch(`${to.url}/loop`, limits), problem('redirects'))
    await assert.rejects(guardedFetch(`${to.url}/declared`, limits), problem('too_large'))
    await assert.rejects(guardedFetch(`${to.url}/chunked`, limits), problem('too_large'))
    await assert.rejects(guardedFetch(`${to.url}/bomb`, limits), problem('too_large'))
    await assert.rejects(guardedFetch(`${to.url}/not-gzip`, limits), problem('encoding'))
    await assert.rejects(guardedFetch(`${to.url}/not-brotli`, limits), problem('encoding'))
    await assert.rejects(guardedFetch(`${to.url}/unknown`, limits), problem('encoding'))
    await assert.rejects(guardedFetch(`${to.url}/hang`, { ...limits, timeoutMs: 50 }), problem('timeout'))
    await assert.rejects(guardedFetch(`${to.url}/file`, limits), problem('url'))
    await assert.rejects(guardedFetch('data:text/plain,x', limits), problem('url'))
    const cut = await guardedFetch(`${to.url}/chunked`, { ...limits, tooLarge: 'cut' })
    assert.equal(cut.body.byteLength, 1_000)
    const unpacked = await guardedFetch(`${to.url}/bomb`, { ...limits, tooLarge: 'cut' })
    assert.equal(unpacked.body.byteLength, 1_000)
  })

  test('a redirect into the own network is refused like a direct request', async (t) => {
    const to = await receiver(t, () => (r) => r.writeHead(302, { location: 'http://[::ffff:10.0.0.1]/' }).end())
    await assert.rejects(guardedFetch(to.url, limits), problem('blocked'))
    await assert.rejects(guardedFetch(to.url, { ...limits, allow: [] }), problem('blocked'))
    await assert.rejects(guardedFetch('http://localhost:1/', { ...limits, allow: [] }), problem('blocked'))
  })
})
