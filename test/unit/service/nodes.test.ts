/** Which services are listed first, and when the active one may hand over. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SECOND } from '../../../src/domain/clock.ts'
import type { Failure } from '../../../src/domain/failures.ts'
import type { ServiceNode } from '../../../src/domain/nodes.ts'
import { createNodes } from '../../../src/service/nodes.ts'

const NOW = 1_000_000
const SELF = { id: 'self', name: 'node-a', release: '1.0.0' }
const row = (id: string, change: Partial<ServiceNode> = {}): ServiceNode => ({
  ...SELF,
  id,
  address: undefined,
  state: 'standby',
  since: NOW,
  seenAt: NOW,
  silentMs: 0,
  takeover: undefined,
  ...change,
})
const active = row('self', { state: 'active' })

function nodesOf(rows: ServiceNode[] | undefined, isStandby = true) {
  let stops = 0
  const nodes = createNodes({
    node: SELF,
    store: rows === undefined ? {} : { nodes: async () => rows },
    isStandby,
    clock: { now: () => NOW },
    stopSoon: () => stops++,
  })
  const refusal = (id: string) =>
    nodes.drain(id).then(
      () => 'drains',
      ({ code, message }: Failure) => `${code}: ${message}`,
    )
  return { list: nodes.list, refusal, stops: () => stops }
}

test('the active service is listed first, then standbys, then lost ones, each with the newest first', async () => {
  const { list } = nodesOf([row('l', { state: 'lost' }), row('s1', { since: 1 }), row('s2', { since: 2 }), active])
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    ['self', 's2', 's1', 'l'],
  )
})

test('a service whose store only this machine can use is alone, and hands over to nobody', async () => {
  const { list, refusal } = nodesOf(undefined)
  assert.deepEqual(await list(), [active])
  assert.match(await refusal('self'), /^not_allowed: No standby is ready/)
})

test('only the active service hands over, and only to a standby that shows itself', async () => {
  const lost = row('l', { state: 'lost', silentMs: 60 * SECOND })
  const silent = row('s', { silentMs: 3 * SECOND })
  // It was killed, and then the clock of the database was set back.
  const future = row('f', { seenAt: NOW + 4 * SECOND, silentMs: -4 * SECOND })
  const without = nodesOf([active, lost, silent, future])
  assert.match(await without.refusal('self'), /^not_allowed: No standby is ready/)
  const pair = nodesOf([active, lost, future, row('s', { silentMs: 2 * SECOND })])
  assert.match(await pair.refusal('s'), /^not_allowed: The service node-a is not the active one \(its state is standby\)/)
  assert.match(await pair.refusal('l'), /its state is lost/)
  const off = nodesOf([active, row('s')], false)
  assert.match(await off.refusal('self'), /^not_allowed: .* Start it with SVC_STANDBY=on first\.$/)
  assert.match(await pair.refusal('nobody'), /^not_found/)
  assert.deepEqual([without.stops(), pair.stops()], [0, 0])
  assert.deepEqual([await pair.refusal('self'), pair.stops()], ['drains', 1])
})
