import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { ask, must } from '../harness/http.ts'
import { CONTACT, connected, type Linking, linkWithPasskeys, see, toSign, waiting, world } from '../harness/passkey-linking.ts'
import { sampleWith } from '../harness/samples.ts'
import { newPhone } from './states-seen.ts'

linkWithPasskeys()

const account = (method: string, path = '', body?: unknown) =>
  ask(method, `${world.gateway.baseUrl}/account/connect-links${path}`, body, world.gateway.account)

async function linkOf({ instance }: Pick<Linking, 'instance'>) {
  const { status, body } = await account('POST', '', { instance_id: instance.id })
  assert.equal(status, 201)
  const { id, url } = body as { id: string; url: string }
  return { url, revoke: () => account('DELETE', `/${id}`) }
}

async function withoutPasskey(): Promise<Linking> {
  const phone = newPhone()
  await world.sandbox.createPhone(phone)
  return { phone, instance: await world.gateway.createInstance(world.receiver) }
}

const qrOf = async (url: string) => String((await must('GET', `${url}/qr-code`)).value)

test('the command of docs/connect-links.md makes a link', async () => {
  const { instance } = await withoutPasskey()
  const command = sampleWith('docs/connect-links.md', '"instance_id"')
    .replace('localhost:8080', world.gateway.baseUrl)
    .replace(/"instance_id": "[^"]+"/, `"instance_id": "${instance.id}"`)
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { env: { ...process.env, KEY: world.gateway.key } })
  assert.match(JSON.parse(stdout).url, /\/connect\//, stdout)
})

describe('with an open link', { concurrency: 2 }, () => {
  /** Checks that the link is used up: for a while, its page may still read the status, but nothing else. */
  async function usedUp(linking: Linking, url: string) {
    await connected(linking)
    assert.equal((await must('GET', `${url}/status`)).connected, true)
    assert.equal((await ask('GET', `${url}/qr-code`)).status, 401)
  }

  test('a code for the number links it', async () => {
    const linking = await withoutPasskey()
    const { url } = await linkOf(linking)
    await qrOf(url)
    const { value } = await must('GET', `${url}/phone-code/${linking.phone}`)
    await world.sandbox.enterCode(linking.phone, String(value))
    await usedUp(linking, url)
  })

  test('so does the answer of a passkey, and another answer does not', async () => {
    const linking = await waiting()
    const { url } = await linkOf(linking)
    await world.sandbox.scan(linking.phone, await qrOf(url))
    const assertion = await world.sandbox.signPasskey(linking.phone, await toSign(linking))
    assert.equal((await ask('POST', `${url}/passkey/response`, { assertion: {} })).status, 400)
    assert.equal((await must('GET', `${url}/passkey`)).stage, 'awaiting_response')
    await must('POST', `${url}/passkey/response`, { assertion })
    await usedUp(linking, url)
  })
})

describe('with a link that is revoked', { concurrency: 3 }, () => {
  test('its QR code links nothing', async () => {
    const linking = await withoutPasskey()
    const { url, revoke } = await linkOf(linking)
    const qr = await qrOf(url)
    assert.equal((await revoke()).status, 200)
    await assert.rejects(world.sandbox.scan(linking.phone, qr), /409/)
    await see.sees(
      linking.instance,
      'logged_out',
      'pairing_ended',
      'The connect link expired or was revoked before the phone was linked; pair again.',
    )
  })

  test('nor does its code for a number', async () => {
    const linking = await withoutPasskey()
    const { url, revoke } = await linkOf(linking)
    await qrOf(url)
    const { value } = await must('GET', `${url}/phone-code/${linking.phone}`)
    await revoke()
    await assert.rejects(world.sandbox.enterCode(linking.phone, String(value)), /40[49]/)
  })

  test('nor does its ticket for a passkey', async () => {
    const linking = await waiting()
    const { url, revoke } = await linkOf(linking)
    await world.sandbox.scan(linking.phone, await qrOf(url))
    await toSign(linking)
    const { ticket } = await must('POST', `${url}/passkey/ticket`)
    const headers = { 'X-Passkey-Ticket': String(ticket) }
    const offered = () => ask('GET', `${world.gateway.baseUrl}/passkey`, undefined, headers)
    assert.equal((await offered()).body.name, '')
    await revoke()
    assert.equal((await offered()).status, 401)
  })
})

test('a pairing that fails leaves the link open, and the next try uses it up', async () => {
  const linking = await withoutPasskey()
  const { url } = await linkOf(linking)
  await world.sandbox.fault({ on: 'login', match: { phone: linking.phone }, do: { failure: 401 }, times: 1 })
  await world.sandbox.scan(linking.phone, await qrOf(url))
  await see.sees(linking.instance, 'logged_out', 'pairing_failed', 'The pairing was not confirmed; pair again.')
  assert.deepEqual(await must('GET', `${url}/status`), {
    connected: false,
    status: 'logged_out',
    paired: false,
    paused: false,
    pairing_failed: true,
  })
  await must('POST', `${url}/restart`)
  await world.sandbox.scan(linking.phone, await qrOf(url))
  await connected(linking)
  assert.equal((await must('GET', `${url}/status`)).connected, true)
})

test('what waits in the queue for the account before leaves from no other number: no link is made until it is removed', async () => {
  const linking = await withoutPasskey()
  const { gateway } = world
  await gateway.pair(linking.instance, world.sandbox, linking.phone)
  await gateway.must(linking.instance, 'POST', '/disconnect')
  await gateway.sendText(linking.instance, CONTACT, 'written for the account before')
  const wish = { instance_id: linking.instance.id }
  const refused = await account('POST', '', wish)
  assert.deepEqual(
    [refused.status, refused.body.error],
    [
      403,
      {
        code: 'not_allowed',
        message:
          'Messages wait in the queue of this instance (1), and would be sent from the number that is paired next; remove them first.',
        details: {},
      },
    ],
  )
  await gateway.must(linking.instance, 'DELETE', '/queue')
  assert.equal((await account('POST', '', wish)).status, 201)
})
