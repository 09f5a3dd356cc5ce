/**
 * Tests the network and the service that test files use one after another. They must be reset before the next file gets
 * them, or must not be used again.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repetition } from '../harness/amount.ts'
import { borrowPlace } from '../harness/borrowed-place.ts'
import { HOOKS, ROOT } from '../harness/checkout.ts'
import { createGateway } from '../harness/gateway.ts'
import { ask, must } from '../harness/http.ts'
import type { Place } from '../harness/place.ts'
import { createSandbox } from '../harness/sandbox.ts'
import { until } from '../harness/until.ts'

const PHONE = '5511999990000'

interface Lender {
  address: string
  close(): Promise<void>
}

const skip = HOOKS.length > 0 && 'runs from source: nothing is compiled for another process'
/**
 * Skips a test in `npm test`: the files that borrow worlds there show most faults of the lender. The test of a world
 * that must not be lent again always runs, because other files would not show that it was lent.
 */
const lent = { skip: repetition }

test('worlds are lent', { skip }, async (t) => {
  const lender: Lender = await (await import(new URL('scripts/test-worlds.mjs', ROOT).href)).lendWorlds()
  t.after(() => lender.close())

  const enter = async (place: Place) => {
    const sandbox = createSandbox(place.controlUrl)
    return { sandbox, gateway: await createGateway(place.baseUrl, place.adminKey) }
  }

  await t.test('what a borrower left behind is gone, and its keys are nobody’s', lent, async () => {
    const first = await borrowPlace('traced', lender.address)
    const { sandbox, gateway } = await enter(first)
    const instance = await gateway.connected(sandbox, PHONE, null)
    await sandbox.fault({ on: 'connect', do: 'drop' })
    await sandbox.setDown(true)
    await first.end()

    const second = await borrowPlace('traced', lender.address)
    assert.equal(second.baseUrl, first.baseUrl, 'it is the same process')
    const next = await enter(second)
    assert.equal((await ask('GET', `${instance.api_url}/status`)).status, 401)
    assert.equal((await ask('GET', `${second.baseUrl}/account/instances`, undefined, gateway.account)).status, 401)
    assert.deepEqual(await next.sandbox.get('/state'), { phones: [], contacts: [], groups: [], newsletters: [] })
    assert.ok(await next.gateway.connected(next.sandbox, PHONE, null))
    await second.end()
  })

  await t.test('a restart keeps its data, until it is given back', lent, async () => {
    const place = await borrowPlace('traced', lender.address)
    const { gateway } = await enter(place)
    const instance = await gateway.createInstance(null)
    await place.stopService()
    await assert.rejects(ask('GET', `${instance.api_url}/status`))
    await place.startService()
    assert.equal((await ask('GET', `${instance.api_url}/status`)).status, 200)
    await place.end()
  })

  await t.test('one whose borrower has changed what is the service’s is not lent again', async () => {
    const changed = await borrowPlace('traced', lender.address)
    await must('PUT', `${changed.baseUrl}/admin/workspace`, { name: 'mine' }, { authorization: `Bearer ${changed.adminKey}` })
    await changed.end()
    const other = await borrowPlace('traced', lender.address)
    assert.notEqual(other.baseUrl, changed.baseUrl)
    const isGone = () =>
      ask('GET', `${changed.baseUrl}/health`).then(
        () => false,
        () => true,
      )
    await until(isGone, (gone) => gone)
    await other.end()
  })
})
