/**
 * Forty request bodies of the largest size arrive at the same time at a service with 1 GB of memory. Some are accepted,
 * the others are answered with "try again later", and no process dies.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MEMORY_SETTINGS } from '../../../src/restart-frugally.ts'
import type { Instance } from '../../harness/gateway.ts'
import { limitMemory, peakOf, postDocument, rssOf } from '../../harness/large-bodies.ts'
import { startGround, until } from '../ground.ts'

const MB = 1_048_576
const READER = '5511988880001'
const BODIES = 40
const SIZE = 65_000_000
/**
 * Numbers of the accounts. One is not enough, because the bodies of one instance get at most half of the memory for
 * bodies.
 */
const PHONES = ['5511999990000', '5511999990001', '5511999990002', '5511999990003']
/**
 * Largest growth in MB of the process's memory after the test. It is less than one decoded body together with its text.
 */
const KEPT = 100

const limit = limitMemory(1_024 * MB)
const skip = typeof limit === 'string' ? limit : false

test('40 bodies of 65 MB at once, within 1 GB', { skip, timeout: 600_000 }, async (t) => {
  assert.ok(typeof limit !== 'string')
  const ground = await startGround({}, { SVC_EGRESS_ALLOW: '127.0.0.0/8', SVC_BLOB_BUDGET_MB: '4096', ...MEMORY_SETTINGS })
  try {
    const { gateway, sandbox, receiver } = ground
    const { pid } = ground.service.child
    assert.ok(pid !== undefined)
    limit.hold(pid)
    await sandbox.createContact(READER, { sink: true, receipts: 'none' })
    const instances: Instance[] = []
    for (const phone of PHONES) instances.push(await gateway.connected(sandbox, phone, receiver))
    const before = rssOf(pid)

    const outcomes = await Promise.all(
      Array.from({ length: BODIES }, (_, at) => {
        const { api_url } = instances[at % instances.length]!
        return postDocument(api_url, { fields: `"phone":"${READER}"`, size: SIZE })
      }),
    )
    const accepted = outcomes.filter(({ status }) => status === 200).map(({ body }) => JSON.parse(body).svc_id as string)
    const refused = outcomes.filter(({ status }) => status !== 200)
    t.diagnostic(`${accepted.length} accepted; ${Math.round(before)} MB before, ${Math.round(peakOf(pid))} MB at most`)
    assert.ok(accepted.length > 0 && refused.length > 0)
    for (const { status, body } of refused) {
      assert.equal(status, 503)
      assert.match(body, /Too many large requests (of this caller )?are being read at the moment; send this one again/)
    }

    const sent = () => new Set(receiver.events('delivery').flatMap(({ status, svc_id }) => (status === 'sent' ? [svc_id] : [])))
    await until('every accepted document is sent', () => accepted.every((id) => sent().has(id)), 300_000)
    for (const instance of instances) assert.equal((await gateway.status(instance)).connected, true)
    assert.equal(ground.service.child.pid, pid)
    assert.equal(ground.service.child.exitCode, null)
    await until(`no more than ${KEPT} MB of it are kept`, () => rssOf(pid) < before + KEPT)
    t.diagnostic(`${Math.round(rssOf(pid))} MB afterwards`)
  } finally {
    await ground.stop()
    limit.remove()
  }
})
