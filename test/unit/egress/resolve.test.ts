import assert from 'node:assert/strict'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { networkError } from '../../../src/egress/egress.ts'
import { createResolve, NameUnresolved, parseHosts, parseSearch, type ResolveOptions } from '../../../src/egress/resolve.ts'
import { nameServer, type Zone } from './name-server.ts'

async function resolver(t: TestContext, zone: Zone, options: Partial<ResolveOptions> & { hosts?: string; search?: string } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'svc-resolve-'))
  t.after(() => rm(dir, { recursive: true }))
  const { hosts = '', search = '', ...rest } = options
  const files = { hostsFile: join(dir, 'hosts'), resolverFile: join(dir, 'resolv.conf') }
  await writeFile(files.hostsFile, hosts)
  await writeFile(files.resolverFile, search)
  const { server, asked } = await nameServer(t, zone)
  return { resolve: createResolve({ servers: [server], ...files, ...rest }), asked, ...files }
}

test('a name is all its addresses, IPv4 first', async (t) => {
  const { resolve } = await resolver(t, (_, family) => (family === 4 ? ['192.0.2.1', '192.0.2.2'] : ['2001:db8::1']))
  assert.deepEqual(await resolve('both.example'), ['192.0.2.1', '192.0.2.2', '2001:db8::1'])
})

test('one family is enough, also when the server never answers for the other', async (t) => {
  const { resolve } = await resolver(t, (name, family) => {
    if (name === 'four.example') return family === 4 ? ['192.0.2.1'] : []
    if (name === 'six.example') return family === 6 ? ['2001:db8::1'] : undefined
    return family === 4 ? ['192.0.2.1'] : null
  })
  assert.deepEqual(await resolve('four.example'), ['192.0.2.1'])
  assert.deepEqual(await resolve('six.example'), ['2001:db8::1'])
  assert.deepEqual(await resolve('half-silent.example'), ['192.0.2.1'])
})

test('names whose server is silent hold up no other', async (t) => {
  let isSilent = true
  const zone: Zone = (name, family) => (isSilent && name.endsWith('slow.example') ? null : family === 4 ? ['192.0.2.1'] : [])
  const { resolve, asked } = await resolver(t, zone, { deadlineMs: 60_000 })
  let ended = 0
  const slow = Array.from({ length: 64 }, async (_, index) => {
    const addresses = await resolve(`n${index}.slow.example`)
    ended++
    return addresses
  })
  while (asked.length < 128) await new Promise((turn) => setImmediate(turn))
  assert.deepEqual(await resolve('quick.example'), ['192.0.2.1'])
  assert.equal(ended, 0, 'those still wait')
  // The resolver repeats each query after a short time. So the server can answer the repeated queries now.
  isSilent = false
  for (const addresses of await Promise.all(slow)) assert.deepEqual(addresses, ['192.0.2.1'])
})

test('a name whose server stays silent is given up at the deadline', async (t) => {
  const { resolve, asked } = await resolver(t, () => null, { deadlineMs: 100 })
  const error = await resolve('dead.example').catch((failure: unknown) => failure)
  assert.equal(asked.length, 2, 'once for each family: nothing was asked again')
  assert.ok(error instanceof NameUnresolved)
  assert.equal(networkError(error), 'dns')
})

test('a name that nobody has, and a server that cannot be reached, are failures of the name', async (t) => {
  const { resolve, ...files } = await resolver(t, () => undefined)
  await assert.rejects(resolve('nobody.example'), NameUnresolved)
  const unreachable = createResolve({ ...files, servers: ['127.0.0.1:1'], deadlineMs: 2_000 })
  const error = await unreachable('somebody.example').catch((failure: unknown) => failure)
  assert.equal(networkError(error), 'dns', 'and not a receiver that refuses')
})

test('the hosts file comes first, and counts as it is now', async (t) => {
  const hosts = '10.0.0.5 Receiver receiver.internal # ours\n::ffff:10.0.0.6 receiver\n'
  const { resolve, asked, hostsFile } = await resolver(t, (_, family) => (family === 4 ? ['192.0.2.1'] : []), { hosts })
  assert.deepEqual(await resolve('receiver'), ['10.0.0.5', '10.0.0.6'])
  assert.deepEqual(await resolve('RECEIVER.internal.'), ['10.0.0.5'])
  assert.deepEqual(asked, [])
  await writeFile(hostsFile, '10.0.0.7 receiver\n')
  await utimes(hostsFile, 1, 1)
  assert.deepEqual(await resolve('receiver'), ['10.0.0.7'])
  await rm(hostsFile)
  assert.deepEqual(await resolve('receiver'), ['192.0.2.1'])
})

test('localhost is this machine and asked of nobody', async (t) => {
  const { resolve, asked } = await resolver(t, () => ['192.0.2.1'])
  assert.deepEqual(await resolve('localhost'), ['127.0.0.1', '::1'])
  assert.deepEqual(await resolve('api.localhost'), ['127.0.0.1', '::1'])
  assert.deepEqual(asked, [])
})

test('a short name is completed as the system would, and a long one is asked for as it is first', async (t) => {
  const zone: Zone = (name, family) => (name === 'receiver.apps.cluster.local' && family === 4 ? ['10.0.0.9'] : undefined)
  const search = 'nameserver 10.0.0.10\nsearch apps.cluster.local. cluster.local\noptions ndots:2 timeout:1\n'
  const { resolve, asked } = await resolver(t, zone, { search })
  const names = () => [...new Set(asked.splice(0).map((question) => question.split(' ')[0]))]
  assert.deepEqual(await resolve('receiver'), ['10.0.0.9'])
  assert.deepEqual(names(), ['receiver.apps.cluster.local'])
  assert.deepEqual(await resolve('receiver.apps'), ['10.0.0.9'])
  assert.deepEqual(names(), ['receiver.apps.apps.cluster.local', 'receiver.apps.cluster.local'])
  await assert.rejects(resolve('a.b.example'), NameUnresolved)
  assert.deepEqual(names(), ['a.b.example', 'a.b.example.apps.cluster.local', 'a.b.example.cluster.local'])
  await assert.rejects(resolve('receiver.'), NameUnresolved)
  assert.deepEqual(names(), ['receiver'])
})

test('what the files of the system may hold', () => {
  assert.deepEqual(
    [...parseHosts('# 10.0.0.1 a\n\n10.0.0.2\tB  c#d\nnonsense x\nfe80::1%lo0 zone\n')].map(([name]) => name).slice(0, 2),
    ['b', 'c'],
  )
  assert.deepEqual(parseSearch(''), { domains: [], dots: 1 })
  assert.deepEqual(parseSearch('domain one\nsearch two three ; later\noptions rotate ndots:5\n'), {
    domains: ['two', 'three'],
    dots: 5,
  })
})
