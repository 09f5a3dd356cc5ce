/** Checks the Compose files of a cluster and a pair, and runs HAProxy with the configuration that they give it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'yaml'
import { FAILURES } from '../../../src/domain/failures.ts'
import { isIn, parseRanges } from '../../../src/egress/addresses.ts'
import { pathOf, textOf } from '../../harness/deploy-files.ts'
import { HAPROXY_CONFIG, noHaproxy, startHaproxy } from '../../harness/haproxy.ts'
import { ask } from '../../harness/http.ts'
import { until } from '../../harness/until.ts'

const composeOf = (name: string) => parse(textOf(`deploy/${name}`), { merge: true })
const namesOf = (services: object) => Object.keys(services).filter((each) => each.startsWith('svc-'))

test('the cluster has equal members with time to give their accounts away, and only one builds the image of all', () => {
  const { services } = composeOf('compose.cluster.yaml')
  const names = namesOf(services)
  assert.deepEqual(names, ['svc-a', 'svc-b', 'svc-c'])
  const [builder, ...others] = names.map((name) => {
    const { build, pull_policy: policy, hostname, ...service } = services[name]
    // The list of services shows these names.
    assert.equal(hostname, name)
    return { build, policy, service }
  })
  assert.ok(existsSync(pathOf(builder!.build.dockerfile)))
  const { service } = builder!
  for (const other of others) assert.deepEqual(other, { build: undefined, policy: 'never', service })
  const { SVC_CLUSTER: mode, SVC_PEER_PORT: port, SVC_SHUTDOWN_SECONDS: seconds } = service.environment
  assert.deepEqual([mode, port], ['on', '8090'])
  assert.ok(Number.parseInt(service.stop_grace_period, 10) > Number(seconds) + 1)
})

test('the pair is two of these services, one of which is the standby of the other', () => {
  const { services } = composeOf('compose.pair.yaml')
  assert.deepEqual(namesOf(services), namesOf(composeOf('compose.cluster.yaml').services))
  const environment = { SVC_CLUSTER: 'off', SVC_STANDBY: 'on', SVC_SHUTDOWN_SECONDS: '10' }
  for (const name of ['svc-a', 'svc-b']) assert.deepEqual(services[name], { environment }, name)
  assert.deepEqual(services['svc-c'], { scale: 0 })
})

test('the services trust their proxy and the proxy of the machine, whose addresses no service can get', () => {
  const { services, networks } = composeOf('compose.cluster.yaml')
  const [{ subnet, gateway, ip_range: dynamic }] = networks.cluster.ipam.config
  const trusted = [services.proxy.networks.cluster.ipv4_address, gateway]
  assert.equal(services['svc-a'].environment.SVC_TRUSTED_PROXIES, trusted.map((address) => `${address}/32`).join())
  for (const address of trusted) {
    assert.ok(isIn(parseRanges([subnet]), address), address)
    assert.ok(!isIn(parseRanges([dynamic]), address), address)
  }
  for (const published of services.proxy.ports) assert.match(published, /^127\.0\.0\.1:/)
})

test('the proxy asks which service is ready, and gives a service that stops time for its requests', () => {
  const proxy = textOf(HAPROXY_CONFIG)
  assert.match(proxy, /^ +option httpchk GET \/health\/ready$/m)
  for (const name of namesOf(composeOf('compose.cluster.yaml').services))
    assert.match(proxy, new RegExp(`^ +server \\w+ ${name}:8080$`, 'm'))
  const [, seconds, failures] = /^ +default-server check inter (\d+)s fall (\d+) /m.exec(proxy)!
  // A service that stops still answers for six seconds. If HAProxy ended the connections to a service that it marks as
  // down, requests would be lost.
  assert.ok((Number(seconds) + 1) * Number(failures) <= 6)
  assert.doesNotMatch(proxy, /shutdown-sessions/)
  const [, body = ''] = /^ +http-error status 503 content-type application\/json string '(.+)'$/m.exec(proxy)!
  const { error } = JSON.parse(body)
  assert.deepEqual([Object.keys(error), error.code in FAILURES], [['code', 'message', 'details'], true])
})

test('HAProxy sends requests to the services that are ready, and answers in the form of the API if none is', {
  skip: noHaproxy,
}, async (t) => {
  const statuses = new Map([
    ['svc-a', 200],
    ['svc-b', 503],
  ])
  const at = new Map<string, string>()
  // Nothing listens at the address of the third service.
  for (const name of namesOf(composeOf('compose.cluster.yaml').services))
    at.set(name, statuses.has(name) ? await listening(t, name, () => statuses.get(name)!) : '127.0.0.1:1')
  const proxy = await startHaproxy(at)
  t.after(proxy.stop)

  const asked = (path = '/account') => ask<Answer>('GET', `${proxy.url}${path}`)
  // HAProxy sends requests to `svc-b` until its first check finds that this service is not ready.
  await until(
    () => Promise.all(Array.from({ length: 6 }, () => asked())),
    (answers) => answers.every(({ body }) => body.name === 'svc-a'),
  )
  const slow = asked(SLOW)
  statuses.set('svc-a', 503)
  const none = await until(
    () => asked(),
    ({ body }) => body.error !== undefined,
    60_000,
  )
  assert.deepEqual([none.status, none.body.error?.code], [503, 'engine_unavailable'])
  // HAProxy no longer sends new requests to the service, but the request that it has already sent must be completed.
  const { status, body } = await slow
  assert.deepEqual([status, body.name], [200, 'svc-a'])
})

interface Answer {
  name?: string
  error?: { code: string }
}

/** Path of a request that takes longer than HAProxy needs to notice that a service is no longer ready. */
const SLOW = '/slow'
const SLOW_MS = 4_500

/**
 * Starts a service that answers `/health/ready` with the status of `ready`, and all other requests with its name.
 * Resolves with its address.
 */
async function listening(t: TestContext, name: string, ready: () => number): Promise<string> {
  const server = createServer(async ({ url }, response) => {
    if (url === SLOW) await pause(SLOW_MS)
    response
      .writeHead(url === '/health/ready' ? ready() : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ name }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
