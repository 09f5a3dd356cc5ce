/**
 * A service with the log level `trace` runs a long scenario with many failures. Its log, metrics and refusals are then
 * searched for the secrets, message contents and phone numbers of the scenario.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createGateway, type Gateway } from '../harness/gateway.ts'
import { ask, must } from '../harness/http.ts'
import { networkEnv, type Running, run } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { createSandbox } from '../harness/sandbox.ts'
import { until } from '../harness/until.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
const NOBODY = '5511988880000'
const METRICS_TOKEN = `metrics-${randomBytes(12).toString('hex')}`
const SECRET_KEY = randomBytes(32).toString('hex')

let service: Running
let gateway: Gateway
let log = ''
const refusals: string[] = []
/** The texts that no output may contain, each under a name for the report. */
const secrets = new Map<string, string>()

async function start(adminKey?: string) {
  const env = {
    ...networkEnv(network.printed),
    SVC_DATA_DIR: join(dir, 'service'),
    SVC_PORT: '0',
    SVC_SHARDS: '1',
    SVC_LOG_LEVEL: 'trace',
    SVC_METRICS_TOKEN: METRICS_TOKEN,
    SVC_SECRET_KEY: SECRET_KEY,
  }
  service = await run([], env)
  service.child.stderr?.on('data', (chunk: Buffer) => {
    log += chunk.toString()
  })
  const key = adminKey ?? service.printed.admin_key!
  gateway = await createGateway(service.printed.base_url!, key)
  secrets.set('admin key', key)
  secrets.set(`API key of ${gateway.baseUrl}`, gateway.key)
}

const dir = await mkdtemp(join(tmpdir(), 'svc-secrets-'))
const network = await run(['--network-only'], { SVC_DATA_DIR: join(dir, 'network'), SVC_SANDBOX_PORT: '0' })
const sandbox = createSandbox(network.printed.sandbox_url!)
const receiver = await startReceiver()
await start()
after(async () => {
  await service?.stop()
  await receiver?.stop()
  await network?.stop()
  await rm(dir, { recursive: true, force: true })
})

const secret = (name: string, value: string) => {
  secrets.set(name, value)
  return value
}
async function refused(method: string, url: string, body?: unknown, headers?: Record<string, string>) {
  const answer = await ask(method, url, body, headers)
  assert.ok(answer.status >= 400, `${method} was answered ${answer.status}`)
  refusals.push(JSON.stringify(answer.body), JSON.stringify([...answer.headers]))
}

test('the story: pairing, messages both ways, wrong credentials, webhooks and proxies that fail, a kill', {
  timeout: 180_000,
}, async () => {
  await sandbox.createContact(ANA, { name: 'Ana Confidential' })
  await sandbox.createPhone(ME, { name: 'Me' })
  const instance = await gateway.createInstance(receiver)
  secret('token', instance.token)
  secret('webhook secret', instance.webhooks.secret)
  const qr = await must('GET', `${instance.api_url}/qr-code`)
  secret('QR', String(qr.value).slice(-200))
  await gateway.pair(instance, sandbox, ME)

  await gateway.sendText(instance, ANA, secret('text out', 'outgoing-marker-7391'))
  await sandbox.send(ANA, ME, { text: secret('text in', 'incoming-marker-5127') })
  await receiver.waitFor('received', ({ type }) => type === 'received')
  await gateway.ask(instance, 'POST', '/send-text', { phone: NOBODY, message: 'hello-marker-9012' }, { Prefer: 'wait=20' })
  secret('text to nobody', 'hello-marker-9012')
  secret('somebody else', ANA)
  secret('name of somebody else', 'Ana Confidential')
  const image = Buffer.from('no picture, image-marker-4410').toString('base64')
  secret('image', image)
  await gateway.ask(
    instance,
    'POST',
    '/send-image',
    { phone: ANA, image, caption: secret('caption', 'caption-marker-3355') },
    { Prefer: 'wait=20' },
  )

  const wrong = secret('wrong token', randomBytes(24).toString('hex'))
  await refused('GET', `${gateway.baseUrl}/instances/${instance.id}/token/${wrong}/me`)
  await refused('GET', `${gateway.baseUrl}/instances/${instance.id}/tokn/${instance.token}/me`)
  await refused('GET', `${gateway.baseUrl}/instances/${instance.token}/token/${instance.id}/me`)
  await refused('GET', `${gateway.baseUrl}/${instance.token}`)
  await refused('POST', `${instance.api_url}/send-txt`, { phone: ANA, message: 'lost' })
  await refused('GET', `${gateway.baseUrl}/account/instances`, undefined, {
    authorization: `Bearer ${secret('wrong key', `svc_key_${randomBytes(24).toString('hex')}`)}`,
  })
  await refused('GET', `${gateway.baseUrl}/admin/security`, undefined, { authorization: `Bearer ${gateway.key}` })
  await refused('GET', `${gateway.baseUrl}/metrics`, undefined, {
    authorization: `Bearer ${secret('wrong metrics token', 'metrics-guess-8812')}`,
  })
  await refused('POST', `${instance.api_url}/send-text`, {
    phone: ANA,
    message: 7,
    [secret('field', 'fieldmarker6612')]: 'value-marker-6613',
  })
  secrets.delete('field')

  const imported = secret('client token', 'imported-client-token-6120')
  await ask('POST', `${gateway.baseUrl}/admin/client-token`, { value: imported }, gateway.admin)
  await ask('GET', `${instance.api_url}/me`, undefined, { 'Client-Token': imported })

  await must('PUT', `${instance.api_url}/webhooks`, {
    received_url: `http://127.0.0.1:9/${secret('path of a webhook', 'hook-marker-2290')}?key=${secret('query of a webhook', 'query-marker-2291')}`,
  })
  await sandbox.send(ANA, ME, { text: 'into the void' })
  await must('PUT', `${instance.api_url}/settings`, {
    proxy_url: `http://user:${secret('password of a proxy', 'proxy-marker-7744')}@127.0.0.1:9`,
  })
  await ask('GET', `${instance.api_url}/status`)
  await must('PUT', `${instance.api_url}/settings`, { proxy_url: null })
  await gateway.waitForStatus(instance, 'connected', 60_000)

  await linkWithPasskey()

  const rotated = await must(
    'POST',
    `${gateway.baseUrl}/account/instances/${instance.id}/rotate-token`,
    undefined,
    gateway.account,
  )
  secret('token after its rotation', String(rotated.token))
  const rotatedSecret = await must('POST', `${gateway.baseUrl}/instances/${instance.id}/token/${rotated.token}/webhooks/secret`)
  secret('webhook secret after its rotation', String(rotatedSecret.secret))
  refusals.push(
    await (await fetch(`${gateway.baseUrl}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })).text(),
  )

  await service.kill()
  await start(secrets.get('admin key'))
  const again = {
    ...instance,
    token: String(rotated.token),
    api_url: `${gateway.baseUrl}/instances/${instance.id}/token/${rotated.token}`,
  }
  await gateway.waitForStatus(again, 'connected', 60_000)
  await gateway.sendText(again, ANA, secret('text after the kill', 'after-marker-1188'))
  await ask('POST', `${gateway.baseUrl}/account/instances`, { name: 'x' }, gateway.account)
  await must('DELETE', `${gateway.baseUrl}/account/instances/${instance.id}`, undefined, gateway.account)
  await service.stop()
})

/**
 * Links an account with a passkey after several refused attempts. Records all secret and personal values, so that the
 * output can be searched for them.
 */
async function linkWithPasskey() {
  const phone = secret('number of the account with a passkey', '5511977770001')
  await sandbox.createPhone(phone)
  await sandbox.setPasskey(phone)
  const instance = await gateway.createInstance(null)
  await sandbox.scan(phone, String((await must('GET', `${instance.api_url}/qr-code`)).value))
  const state = async () => (await must('GET', `${instance.api_url}/passkey`)) as Record<string, unknown>
  const toSign = async (name: string) => {
    const { public_key } = await until(state, (each) => each.public_key !== null)
    const { challenge } = public_key as { challenge: string }
    secret(`${name} challenge`, challenge)
    secret(`${name} challenge in hex`, Buffer.from(challenge, 'base64url').toString('hex'))
    return public_key
  }
  const sign = async (name: string, more = {}) => {
    const assertion = await sandbox.signPasskey(phone, await toSign(name), more)
    for (const [part, value] of Object.entries(assertion.response)) secret(`${name} ${part}`, String(value))
    secret('credential', assertion.id)
    return assertion
  }
  const { conn } = (await sandbox.passkey(phone)).ceremony!
  const match = { conn, child: 'companion_nonce' }
  const expected = await sandbox.post<{ id: string }>('/expect', { match, wait_ms: 0 })

  // The simulated phone reaches this step before the service, so the test waits for the service.
  await until(state, (each) => each.public_key !== null)
  const link = await must('POST', `${gateway.baseUrl}/account/connect-links`, { instance_id: instance.id }, gateway.account)
  secret('secret of the connect link', String(link.url).split('/').at(-1)!)
  await must('GET', `${link.url}/passkey`)
  await refused('GET', `${link.url}/me`)
  const { ticket } = await must('POST', `${instance.api_url}/passkey/ticket`)
  const headers = { 'X-Passkey-Ticket': secret('ticket', String(ticket)) }
  await must('GET', `${gateway.baseUrl}/passkey`, undefined, headers)
  const wrong = await sign('wrong', { spoil: 'challenge' })
  await refused('POST', `${gateway.baseUrl}/passkey`, { assertion: wrong }, headers)
  await refused('POST', `${instance.api_url}/passkey/response`, { assertion: { ...wrong, rawId: 'AAAA' } })
  await refused('POST', `${gateway.baseUrl}/passkey`, { assertion: await sign('refused', { spoil: 'signature' }) }, headers)
  await refused('GET', `${gateway.baseUrl}/passkey`, undefined, headers)
  await must('POST', `${instance.api_url}/passkey/response`, { assertion: await sign('taken') })
  const { code } = await until(state, (each) => each.needs_confirmation === true)
  secret('code', String(code))
  secret('code without its dash', String(code).replace('-', ''))
  const { items } = await sandbox.get<{ items: { node: unknown }[] }>(`/expect/${expected.id}?wait_ms=10000`)
  const nonce = /"b64":"([^"]+)"/.exec(JSON.stringify(items))?.[1]
  assert.equal(Buffer.from(nonce!, 'base64').length, 32)
  secret('nonce', nonce!)
  secret('nonce in hex', Buffer.from(nonce!, 'base64').toString('hex'))
  await must('POST', `${instance.api_url}/passkey/confirm`, { matches: true })
  await gateway.waitForStatus(instance, 'connected', 60_000)
  await refused('GET', `${link.url}/qr-code`)
}

test('there is a log worth looking through, and nothing of it is secret', () => {
  secret('metrics token', METRICS_TOKEN)
  secret('secret key', SECRET_KEY)
  secret('half of the admin key', secrets.get('admin key')!.slice(-24))
  const lines = log.split('\n')
  assert.ok(lines.length > 50, `${lines.length} lines`)
  assert.ok(lines.some((line) => line.includes('"request_id"')) && lines.some((line) => line.includes('a queue item has ended')))
  for (const [name, value] of secrets) {
    const line = lines.find((each) => each.includes(value))
    assert.equal(line, undefined, `the log has the ${name}`)
    assert.ok(!refusals.some((each) => each.includes(value)), `a refusal or the metrics have the ${name}`)
  }
})
