/**
 * Tests the nodes of `packages/n8n-nodes-svc`: n8n's own engine loads the built package, and runs workflows with it
 * against the service. n8n's linters and types check the package.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { deferred } from '../../src/lib/deferred.ts'
import { ROOT } from '../harness/checkout.ts'
import type { Instance } from '../harness/gateway.ts'
import { image } from '../harness/media-files.ts'
import { chain, type Json, n8nTool, type Run, startN8n, withoutN8n } from '../harness/n8n.ts'
import { sampleWith } from '../harness/samples.ts'
import { startWorld, type World } from '../harness/world.ts'

const PACKAGE = fileURLToPath(new URL('packages/n8n-nodes-svc/', ROOT))
const README = 'packages/n8n-nodes-svc/README.md'
const ME = '5511999990088'
const ANA = '5511988880088'
const NOBODY = '5511988880000'
const AWAY = 'http://127.0.0.1:9'

const EVENT = JSON.stringify({ type: 'received', event_id: '1', message_type: 'text', is_group: false, from_me: false })
const signed = (by: string, of = EVENT, at = Math.floor(Date.now() / 1000)) =>
  `t=${at},v1=${createHmac('sha256', by).update(`${at}.${of}`).digest('hex')}`

const execute = promisify(execFile)
const run = (cwd: string, file: string, ...args: string[]) =>
  execute(process.execPath, [file, ...args], { cwd, maxBuffer: 16 * 2 ** 20 }).catch(({ stdout, stderr }) => {
    throw new Error(`${file}: ${`${stdout}${stderr}`.slice(0, 4_000)}`)
  })

describe('the package n8n-nodes-svc, in n8n', { skip: withoutN8n }, () => {
  let built: string
  let world: World
  let instance: Instance
  let n8n: Awaited<ReturnType<typeof startN8n>>
  before(async () => {
    built = await mkdtemp(join(tmpdir(), 'n8n-nodes-svc-'))
    await cp(join(PACKAGE, 'package.json'), join(built, 'package.json'))
    await run(PACKAGE, 'build.mjs', join(built, 'dist'))
    await symlink(n8nTool(''), join(built, 'node_modules'))
    world = await startWorld()
    await world.sandbox.createContact(ANA, { name: 'Ana' })
    instance = await world.gateway.connected(world.sandbox, ME, null)
    n8n = await startN8n(built, {
      baseUrl: `${world.gateway.baseUrl}/`,
      instanceId: instance.id,
      instanceToken: instance.token,
      apiKey: '',
      clientToken: '',
    })
  })
  after(async () => {
    n8n?.stop()
    await world?.stop()
    await rm(built, { recursive: true, force: true })
  })

  const node = (parameters: Json, settings: Json = {}) => ({ name: 'svc', type: 'n8n-nodes-svc.svc', parameters, ...settings })
  const act = (parameters: Json, input: Json = {}, settings: Json = {}) =>
    n8n.run(n8n.workflowOf('action', chain(node(parameters, settings))), [input])
  async function acted(parameters: Json, input: Json = {}): Promise<Json[]> {
    const { error, items } = await act(parameters, input)
    assert.equal(error, undefined, `${JSON.stringify(parameters)}: ${error?.message} ${error?.description}`)
    return items['svc']!.map(({ json }) => json)
  }
  const webhooks = async () => (await world.gateway.must(instance, 'GET', '/me')).webhooks as Json
  const hasStarted = () => deferred<Run>()
  const posted = async (url: string, headers: Record<string, string>) =>
    (await fetch(url, { method: 'POST', body: EVENT, headers: { 'X-Svc-Instance-Id': instance.id, ...headers } })).status
  const postSigned = (url: string, secret: string) => posted(url, { 'X-Svc-Signature': signed(secret) })
  const inboxOf = async (phone: string, text: string) => {
    for (let after = 0; ; ) {
      const items = await world.sandbox.inbox(phone, after, 20_000)
      const found = items.find((item) => item.text === text)
      if (found) return found
      assert.ok(items.length > 0, `${phone} did not get «${text}»`)
      after = items.at(-1)!.seq
    }
  }

  test('its sources and what is published of them pass the linters of n8n', async () => {
    const eslint = n8nTool('eslint/bin/eslint.js')
    const config = ['-c', fileURLToPath(new URL('test/n8n/eslint.config.mjs', ROOT))]
    await run(fileURLToPath(ROOT), eslint, ...config, PACKAGE)
    await run(built, eslint, ...config, '.')
  })

  test('it compiles against the types of n8n', async () => {
    const compilerOptions = {
      rootDir: '/',
      typeRoots: [fileURLToPath(new URL('node_modules/@types', ROOT))],
      paths: { 'n8n-workflow': [n8nTool('n8n-workflow')] },
    }
    const include = ['credentials', 'nodes', 'lib', 'generated'].map((name) => join(PACKAGE, name))
    await writeFile(
      join(built, 'tsconfig.json'),
      JSON.stringify({ extends: join(PACKAGE, 'tsconfig.json'), compilerOptions, include }),
    )
    await run(built, fileURLToPath(new URL('node_modules/typescript/bin/tsc', ROOT)), '-p', '.')
  })

  test('the test of its credential asks for the status of the instance', async () => {
    const { request } = n8n.credentialType.test
    const ask = (more: Json) => n8n.requested(request, more).then(({ status }) => status)
    assert.equal(await ask({}), 200)
    assert.equal(await ask({ instanceToken: '0'.repeat(48) }), 401)
  })

  test('a workflow answers a text, and leaves the webhooks as they were', async () => {
    await world.gateway.must(instance, 'PUT', '/webhooks', { notify_sent_by_me: true })
    const before = await webhooks()
    const workflow = n8n.workflowOf('answers', JSON.parse(sampleWith(README, 'On text')))
    const [first, second] = [hasStarted(), hasStarted()]
    const started = [first.resolve, second.resolve]
    const trigger = await n8n.listen(workflow, (run) => started.shift()?.(run))
    assert.deepEqual(await webhooks(), { ...before, received_url: trigger.url })
    // Messages of another type and messages in a group must not start the workflow.
    await world.sandbox.send(ANA, ME, { location: { latitude: 1, longitude: 2 } })
    const group = await world.sandbox.createGroup({ subject: 'Lunch', owner: ANA, participants: [ANA, ME] })
    await world.sandbox.send(ANA, group.id, { text: 'Hello all' })
    const { id } = await world.sandbox.send(ANA, ME, { text: 'Hello there' })
    const { error, items } = await first.promise
    assert.equal(error, undefined, error?.message)
    assert.equal(items['On text']?.[0]?.json['message_id'], id)
    assert.equal(items['Answer']?.[0]?.json['status'], 'queued')
    const answer = await inboxOf(ANA, 'You wrote: Hello there')
    assert.ok(JSON.stringify(answer).includes(id), 'the answer quotes the text')
    // The answer is a message of the account itself, so it must not start the workflow.
    const again = await world.sandbox.send(ANA, ME, { text: 'Hello again' })
    assert.equal((await second.promise).items['On text']?.[0]?.json['message_id'], again.id)
    await inboxOf(ANA, 'You wrote: Hello again')
    await trigger.stop()
    assert.deepEqual(await webhooks(), before)
    await world.gateway.must(instance, 'PUT', '/webhooks', { notify_sent_by_me: false })
  })

  test('a workflow reacts to a poll vote', async () => {
    const { promise, resolve } = hasStarted()
    const trigger = await n8n.listen(n8n.workflowOf('votes', JSON.parse(sampleWith(README, 'On vote'))), resolve)
    const options = { waitSeconds: 30 }
    const [poll] = await acted({
      operation: 'send.sendPoll',
      phone: ANA,
      question: 'Where to?',
      options: 'Beach\nMountains, with snow',
      callOptions: options,
    })
    assert.equal(poll!['status'], 'sent')
    await world.sandbox.send(ANA, ME, { poll_vote: { message_id: poll!['message_id'], options: ['Mountains, with snow'] } })
    assert.equal((await promise).error, undefined)
    await inboxOf(ANA, 'Thank you for voting for Mountains, with snow.')
    await trigger.stop()
  })
  test('a request without a valid signature starts nothing', async () => {
    const runs: Run[] = []
    const workflow = n8n.workflowOf('refuses', JSON.parse(sampleWith(README, 'On text')))
    const trigger = await n8n.listen(workflow, (run) => runs.push(run))
    const secret = String((await webhooks())['secret'])
    const post = (headers: Record<string, string>) => posted(trigger.url, headers)
    assert.equal(await post({}), 401)
    assert.equal(await post({ 'X-Svc-Signature': signed('whsec_of_somebody_else') }), 401)
    assert.equal(await post({ 'X-Svc-Signature': signed(secret, `${EVENT} `) }), 401)
    assert.equal(await post({ 'X-Svc-Signature': signed(secret, EVENT, Math.floor(Date.now() / 1000) - 600) }), 401)
    const other = await world.gateway.createInstance(null)
    assert.equal(await post({ 'X-Svc-Signature': signed(secret), 'X-Svc-Instance-Id': other.id }), 401)
    assert.deepEqual(runs, [])
    assert.equal(await post({ 'X-Svc-Signature': signed(secret) }), 200)
    // While the service cannot be reached, n8n does not know the secret of the webhooks.
    n8n.store({ baseUrl: AWAY })
    assert.equal(await post({ 'X-Svc-Signature': signed(secret) }), 503)
    n8n.store({})
    await trigger.stop()
  })

  test('a new secret is read from the service', async (t) => {
    const { promise, resolve } = hasStarted()
    const trigger = await n8n.listen(n8n.workflowOf('rotates', JSON.parse(sampleWith(README, 'On text'))), resolve)
    await world.gateway.must(instance, 'POST', '/webhooks/secret', { grace_seconds: 0 })
    // The clock advances, because n8n reads the secret again only some seconds after it has read the old one.
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 11_000 })
    await world.sandbox.send(ANA, ME, { text: 'With the new secret' })
    await promise
    t.mock.timers.reset()
    await trigger.stop()
  })

  test('soon after a rotation the old secret is worth nothing, also if no webhook came since', async (t) => {
    const trigger = await n8n.listen(n8n.workflowOf('leaked', JSON.parse(sampleWith(README, 'On text'))), () => {})
    const leaked = String((await webhooks())['secret'])
    assert.equal(await postSigned(trigger.url, leaked), 200)
    await world.gateway.must(instance, 'POST', '/webhooks/secret', { grace_seconds: 0 })
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 120_000 })
    assert.equal(await postSigned(trigger.url, leaked), 401)
    t.mock.timers.reset()
    await trigger.stop()
  })

  test('a trigger takes nothing away from another receiver unless it is told to, and gives it back', async () => {
    const theirs = 'http://127.0.0.1:9/theirs'
    await world.gateway.must(instance, 'PUT', '/webhooks', { received_url: theirs, delivery_url: theirs })
    const before = await webhooks()
    const exported = chain({
      name: 'On event',
      type: 'n8n-nodes-svc.svcTrigger',
      parameters: { events: ['received', 'instance_status'] },
    })
    const refused = n8n.listen(n8n.workflowOf('polite', exported), () => {})
    await assert.rejects(refused, /Another program receives these events of the instance: 127\.0\.0\.1:9/)
    assert.deepEqual(await webhooks(), before)

    exported.nodes[0]!.parameters['replaceReceiver'] = true
    const workflow = n8n.workflowOf('polite', exported)
    const trigger = await n8n.listen(workflow, () => {})
    assert.deepEqual(await webhooks(), { ...before, received_url: trigger.url, instance_status_url: trigger.url })
    assert.equal((await n8n.listen(workflow, () => {})).wasThere, true)
    await trigger.stop()
    assert.deepEqual(await webhooks(), before)
    await world.gateway.must(instance, 'PUT', '/webhooks', { received_url: null, delivery_url: null })
  })

  describe('beside another receiver', () => {
    const theirs = 'http://127.0.0.1:9/theirs'
    const exported = chain({
      name: 'On event',
      type: 'n8n-nodes-svc.svcTrigger',
      parameters: { events: ['received', 'delivery'], replaceReceiver: true },
    })
    const urls = async () => {
      const { received_url, delivery_url } = await webhooks()
      return [received_url, delivery_url]
    }
    const set = (changed: Json) => world.gateway.must(instance, 'PUT', '/webhooks', changed)
    beforeEach(() => set({ received_url: theirs, delivery_url: theirs }))
    afterEach(() => set({ received_url: null, delivery_url: null }))

    test('a trigger gives it back also if n8n registers again during a test, or after one of the URLs was removed', async () => {
      const workflow = n8n.workflowOf('restarted', exported)
      await n8n.listen(workflow, () => {})
      const tried = await n8n.listen(n8n.workflowOf('restarted', exported), () => {}, { isTest: true })
      // n8n registers the workflow again without having stopped its first trigger, as after a kill. The test run
      // (`tried`) is still open at this time.
      await n8n.listen(workflow, () => {})
      await set({ delivery_url: null })
      const trigger = await n8n.listen(workflow, () => {})
      assert.deepEqual(await urls(), [trigger.url, trigger.url])
      await trigger.stop()
      assert.deepEqual(await urls(), [theirs, null])
      await tried.stop()
      assert.deepEqual(await urls(), [theirs, null])
    })

    test('a trigger gives it back also if it is deactivated during a test', async () => {
      const trigger = await n8n.listen(n8n.workflowOf('ended', exported), () => {})
      const tried = await n8n.listen(n8n.workflowOf('ended', exported), () => {}, { isTest: true })
      assert.deepEqual(await urls(), [tried.url, tried.url])
      await trigger.stop()
      assert.deepEqual(await urls(), [theirs, theirs])
      await tried.stop()
      assert.deepEqual(await urls(), [theirs, theirs])
    })

    test('a copy of the workflow in another n8n is another receiver', async () => {
      const polite = chain({ name: 'On event', type: 'n8n-nodes-svc.svcTrigger', parameters: { events: ['received'] } })
      const trigger = await n8n.listen(n8n.workflowOf('copied', exported), () => {})
      await trigger.stop()
      const copy = trigger.url.replace(new URL(trigger.url).origin, AWAY)
      await set({ received_url: copy })
      const refused = n8n.listen(n8n.workflowOf('copied', polite), () => {})
      await assert.rejects(refused, /Another program receives these events of the instance: 127\.0\.0\.1:9/)
      assert.deepEqual(await urls(), [copy, theirs])
    })
  })

  test('a test in the editor borrows the events of the active workflow, and shows a test event', async () => {
    const exported = chain({ name: 'On event', type: 'n8n-nodes-svc.svcTrigger', parameters: { events: ['received'] } })
    const active = await n8n.listen(n8n.workflowOf('tried', exported), () => {})
    const { promise, resolve } = hasStarted()
    const tried = await n8n.listen(n8n.workflowOf('tried', exported), resolve, { isTest: true })
    assert.equal((await webhooks())['received_url'], tried.url)
    await world.gateway.must(instance, 'POST', '/webhooks/received/test')
    assert.equal((await promise).items['On event']![0]!.json['test'], true)
    await tried.stop()
    assert.equal((await webhooks())['received_url'], active.url)
    await active.stop()
  })

  test('a wrong token is named, on the node and at the activation', async () => {
    n8n.store({ instanceToken: '0'.repeat(48) })
    try {
      const { error } = await act({ operation: 'send.sendText', phone: ANA, message: 'Hello' })
      assert.deepEqual([error?.httpCode, error?.description], ['401', 'Error code instance_not_found.'])
      const { items } = await act({ operation: 'send.sendText', phone: ANA, message: 'Hello' }, {}, { continueOnFail: true })
      assert.equal(typeof items['svc']![0]!.json['error'], 'string')
      for (const type of ['svcTrigger', 'svcStreamTrigger']) {
        const workflow = n8n.workflowOf('wrong', chain({ name: 'On event', type: `n8n-nodes-svc.${type}`, parameters: {} }))
        const activated = type === 'svcTrigger' ? n8n.listen(workflow, () => {}) : n8n.trigger(workflow, () => {})
        await assert.rejects(activated, ({ httpCode }: { httpCode?: string }) => httpCode === '401', type)
      }
    } finally {
      n8n.store({})
    }
  })

  test('the error of a wrong field names the field', async () => {
    const { error } = await act({ operation: 'send.sendText', phone: 'nobody', message: 'Hello' })
    assert.match(`${error?.description}`, /^Error code invalid_phone\./)
    const { error: json } = await act({ resource: 'other', otherOperation: 'labels.create', fields: '{' })
    assert.match(`${json?.message}`, /'Fields' is not valid JSON/)
  })

  test('while the service is away, nodes and triggers say so', async () => {
    n8n.store({ baseUrl: AWAY })
    try {
      const { error } = await act({ operation: 'send.sendText', phone: ANA, message: 'Hello', callOptions: { attempts: 2 } })
      assert.match(`${error?.message}`, /^The service could not be reached: 127\.0\.0\.1:9$/)
      const stream = n8n.workflowOf('away', chain({ name: 'On event', type: 'n8n-nodes-svc.svcStreamTrigger', parameters: {} }))
      await assert.rejects(
        n8n.trigger(stream, () => {}),
        /could not be reached/,
      )
    } finally {
      n8n.store({})
    }
  })

  test('a stream trigger answers a text, and ends', async () => {
    const { promise, resolve } = hasStarted()
    const { nodes, connections } = JSON.parse(sampleWith(README, 'On text'))
    nodes[0].type = 'n8n-nodes-svc.svcStreamTrigger'
    const workflow = n8n.workflowOf('streams', { nodes, connections })
    const trigger = await n8n.trigger(workflow, resolve)
    await world.sandbox.send(ANA, ME, { text: 'Hello stream' })
    const { items } = await promise
    await inboxOf(ANA, 'You wrote: Hello stream')
    await trigger.stop()
    // These events come after the workflow has ended. When it is started again, it must read them.
    await world.sandbox.send(ANA, ME, { text: 'While you were away' })
    const again = hasStarted()
    const second = await n8n.trigger(workflow, again.resolve)
    const next = (await again.promise).items['On text']![0]!.json
    assert.equal((next['text'] as Json)['message'], 'While you were away')
    assert.notEqual(next['event_id'], items['On text']![0]!.json['event_id'])
    await second.stop()
  })

  test('a node that n8n runs again sends once, and a loop sends each time', async () => {
    const parameters = { operation: 'send.sendText', phone: ANA, message: '={{ $json.text }}' }
    const workflow = n8n.workflowOf('repeats', chain(node(parameters)))
    const data = () => n8n.additionalData({ executionId: 'repeated' })
    const first = await n8n.run(workflow, [{ text: 'Once' }, { text: 'Twice' }], data())
    const second = await n8n.run(workflow, [{ text: 'Once' }, { text: 'Twice' }], data())
    const idsOf = (run: Run) => run.items['svc']!.map(({ json }) => json['message_id'])
    assert.deepEqual(idsOf(second), idsOf(first))
    assert.equal(new Set(idsOf(first)).size, 2)
    const third = await n8n.run(workflow, [{ text: 'Once' }])
    assert.notEqual(idsOf(third)[0], idsOf(first)[0])
    // Another n8n, which counts its executions from 1, too, has a copy of the workflow.
    const other = await n8n.inOtherN8n(() => n8n.run(workflow, [{ text: 'Once' }], data()))
    assert.notEqual(idsOf(other)[0], idsOf(first)[0])
  })

  test('forms send files, lists and JSON, and read pages', async () => {
    const picture = await image('png', 64, 64)
    const file = { data: picture.toString('base64'), mimeType: 'image/png', fileName: 'map.png', fileExtension: 'png' }
    const wait = { callOptions: { waitSeconds: 30 } }
    const sent = async (parameters: Json, input: Json = {}) => {
      const [answer] = await acted({ phone: ANA, ...wait, ...parameters }, input)
      assert.equal(answer!['status'], 'sent', JSON.stringify(answer))
      for (let after = 0; ; ) {
        const items = await world.sandbox.inbox(ANA, after, 20_000)
        const found = items.find(({ id }) => id === answer!['message_id'])
        if (found) return found as unknown as Json
        after = items.at(-1)!.seq
      }
    }
    const withFile = { json: {}, binary: { data: file } }
    const asImage = await sent({ operation: 'send.sendImage', source: 'binary', additionalFields: { caption: 'Here' } }, withFile)
    assert.match(JSON.stringify(asImage), /"caption":"Here"/)
    const asDocument = await sent({ operation: 'send.sendDocument', source: 'binary' }, withFile)
    assert.match(JSON.stringify(asDocument), /map\.png/)
    const buttons = { buttons: [{ id: 'yes', label: 'Yes' }, { label: 'No' }] }
    assert.match(
      JSON.stringify(await sent({ operation: 'send.sendButtonList', message: 'Well?', button_list: JSON.stringify(buttons) })),
      /Well\?/,
    )
    const numbers = { resource: 'contact', operation: 'contacts.existsBatch', phones: `${ANA}, ${NOBODY}` }
    assert.deepEqual(
      (await acted(numbers)).map(({ exists }) => exists),
      [true, false],
    )
    const chats = await acted({ resource: 'chat', operation: 'chats.list', returnAll: true })
    assert.ok(chats.some(({ phone }) => phone === ANA))
    assert.equal((await acted({ resource: 'chat', operation: 'chats.list', limit: 1 })).length, 1)
    const [status] = await acted({ resource: 'instance', operation: 'instance.status' })
    assert.equal(status!['connected'], true)
  })

  test('a received file becomes binary data', async () => {
    const { promise, resolve } = hasStarted()
    const workflow = n8n.workflowOf(
      'downloads',
      chain(
        { name: 'On file', type: 'n8n-nodes-svc.svcTrigger', parameters: { messageTypes: ['image'] } },
        node({ resource: 'file', operation: 'media.download', link: '={{ $json.image.url }}' }),
      ),
    )
    const trigger = await n8n.listen(workflow, resolve)
    const picture = await image('png', 64, 64)
    await world.sandbox.send(ANA, ME, { image: picture.toString('base64'), mime: 'image/png' })
    const { error, items } = await promise
    assert.equal(error, undefined, error?.message)
    const { data, mimeType } = items['svc']![0]!.binary!['data'] as { data: string; mimeType: string }
    assert.equal(mimeType, 'image/png')
    assert.ok(Buffer.from(data, 'base64').equals(picture))
    await trigger.stop()
  })

  test('every other operation is called by its name', async () => {
    const other = (otherOperation: string, fields: Json = {}) =>
      acted({ resource: 'other', otherOperation, fields: JSON.stringify(fields) })
    assert.equal((await other('profile.updateAbout', { value: 'Busy' }))[0]!['value'], true)
    assert.match(String((await other('system.metrics'))[0]!['text']), /^# HELP/)
    n8n.store({ apiKey: world.gateway.key })
    const [listed] = await other('account.listInstances', { page_size: 1 })
    assert.equal((listed!['data'] as Json[]).length, 1)
    n8n.store({})
  })
})
