/** Tests routes without downloading anything, because a route connects only when it is used. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dispatcher } from 'undici'
import { createRoutes } from '../../../src/media/routes.ts'

const KEPT = 32
const network = { url: null, root: null, ca: null, mediaHost: null, verify: 'strict' } as const
const proxy = (number: number) => `http://127.0.0.1:${number + 1}/`

function house() {
  return createRoutes({
    network,
    proxyRoute(url) {
      if (url === proxy(99)) throw new Error('an account may not go there')
      return { url, lookup: assert.fail }
    },
    log: { info() {}, warn: assert.fail, error: assert.fail },
  })
}

const isClosed = (route: Dispatcher) => (route as Dispatcher & { closed: boolean }).closed

test('the route that was not used for longest is closed when there are too many', () => {
  const routes = house()
  const direct = routes.of(null)
  const others = Array.from({ length: KEPT - 1 }, (_, index) => routes.of(proxy(index)))
  assert.equal(routes.of(null), direct)
  assert.equal(routes.of(proxy(0)), others[0])
  routes.of(proxy(KEPT))
  assert.deepEqual([direct, ...others.slice(0, 3)].map(isClosed), [false, false, true, false])
  assert.equal(routes.of(null), direct)
  assert.notEqual(routes.of(proxy(1)), others[1])
})

test('a proxy that an account may not use costs nobody a route', () => {
  const routes = house()
  const kept = Array.from({ length: KEPT }, (_, index) => routes.of(proxy(index)))
  assert.throws(() => routes.of(proxy(99)), /may not go there/)
  assert.deepEqual(kept.filter(isClosed), [])
})
