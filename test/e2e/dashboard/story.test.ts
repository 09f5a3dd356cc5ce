import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Dashboard, type LiveEvent, type LiveStream, signIn } from '../../harness/dashboard.ts'
import { until } from '../../harness/until.ts'
import { startWorld, type World } from '../../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
const HOSTILE = '<img src=x onerror=alert(1)>'

let world: World
let page: Dashboard
let live: LiveStream
let instance: { id: string; token: string; webhooks: { secret: string } }
before(async () => {
  world = await startWorld({ own: true })
  page = await signIn(world.gateway.baseUrl, world.gateway.admin.authorization.replace('Bearer ', ''))
  live = await page.live()
})
after(async () => {
  live?.cut()
  await world.stop()
})

const isRow =
  (change: Record<string, unknown>) =>
  ({ event, data }: LiveEvent) =>
    event === 'instance' && data.id === instance.id && Object.entries(change).every(([name, value]) => data[name] === value)

test('an instance is made, its code scanned by a pretend phone, and the stream says so as it happens', async () => {
  assert.equal((await page.must('GET', 'session')).sandbox, true)
  instance = await page.must('POST', 'api/account/instances', {
    name: HOSTILE,
    settings: { delay_message_min_ms: 0, delay_message_max_ms: 0 },
    webhooks: { single_url: world.receiver.url },
  })
  world.receiver.trust(instance.id, instance.webhooks.secret)
  await live.waitFor('the new instance', isRow({ status: 'qr', webhooks: 5 }))
  await page.must('POST', 'api/sandbox/phones', { phone: ME, name: 'Me' })
  let code: string | null
  do code = (await page.must('GET', `api/instances/${instance.id}/qr-code`)).value
  while (code === null)
  await page.must('POST', `api/sandbox/phones/${ME}/scan`, { image: code })
  await live.waitFor('connected', isRow({ status: 'connected', phone: ME, status_text: null }))
  const { data } = await page.must('GET', `api/instances/${instance.id}/history`)
  assert.deepEqual(
    data.map(({ to }: { to: string }) => to).filter((to: string, index: number, all: string[]) => to !== all[index - 1]),
    ['connected', 'connecting', 'qr', 'starting', 'created'],
  )
  assert.equal(data.at(-1).from, null)
  assert.match(data.find(({ to }: { to: string }) => to === 'qr').text, /QR code/)
})

test('only what a page needs of the sandbox is there', async () => {
  for (const [method, path] of [
    ['POST', 'reset'],
    ['POST', 'faults'],
    ['POST', 'forge'],
    ['GET', 'phones'],
    ['POST', 'phones/%2e%2e/reset'],
    ['POST', `phones/${ME}/passkey/say`],
    ['GET', `phones/${ME}/passkey/relay`],
  ] as const)
    assert.equal((await page.ask(method, `api/sandbox/${path}`, method === 'POST' ? {} : undefined)).status, 404, path)
})

test('the timeline of a message has it queued, gone, taken, each receipt and each attempt, in order and without content', async () => {
  const { message_id, svc_id } = await page.must('POST', `api/instances/${instance.id}/send-text`, {
    phone: ANA,
    message: 'a secret sentence',
  })
  await world.receiver.waitFor(
    'read',
    ({ type, status, ids }) => type === 'message_status' && status === 'read' && (ids as string[]).includes(message_id),
  )
  const timeline = await completed(message_id)
  assert.deepEqual(
    { ...timeline, steps: undefined },
    {
      instance_id: instance.id,
      message_id,
      svc_id,
      correspondent: ANA,
      operation: 'send.sendText',
      state: 'sent',
      steps: undefined,
    },
  )
  const kinds = timeline.steps.flatMap((step) => (['event', 'webhook'].includes(step.kind) ? [] : [step.status ?? step.kind]))
  assert.deepEqual(kinds, ['queued', 'left', 'acknowledged', 'delivered', 'read'])
  const times = timeline.steps.flatMap(({ kind, at }) => (kind === 'event' ? at : []))
  assert.deepEqual(times, times.toSorted())
  const attempts = timeline.steps.filter(({ kind }) => kind === 'webhook')
  assert.deepEqual(new Set(attempts.map(({ type }) => type)), new Set(['delivery', 'message_status']))
  assert.ok(
    attempts.every(
      ({ code, error, attempt, duration_ms }) => code === 200 && error === null && attempt === 1 && duration_ms! >= 0,
    ),
  )
  assert.ok(!JSON.stringify(timeline).includes('secret sentence'))
  assert.deepEqual(await page.must('GET', `api/instances/${instance.id}/timeline?id=${svc_id}`), timeline)
  assert.equal((await page.ask('GET', `api/instances/${instance.id}/timeline?id=nobody`)).status, 404)
})

interface Step {
  kind: string
  at: string
  type?: string
  status?: string
  code?: number
  error?: string | null
  attempt?: number
  duration_ms?: number
}

async function completed(id: string): Promise<{ steps: Step[]; [name: string]: unknown }> {
  for (const end = Date.now() + 20_000; ; ) {
    const timeline = await page.must('GET', `api/instances/${instance.id}/timeline?id=${id}`)
    const events = timeline.steps.filter(({ kind }: Step) => kind === 'event')
    if (events.length === 4 && events.every(({ status }: Step) => status === 'delivered')) return timeline
    assert.ok(Date.now() < end, JSON.stringify(timeline))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('the timeline has each receipt also while nobody wants to be called for it', async () => {
  await page.must('PUT', `api/instances/${instance.id}/webhooks`, { message_status_url: null })
  const { message_id } = await page.must('POST', `api/instances/${instance.id}/send-text`, { phone: ANA, message: 'quietly' })
  const shown = async (): Promise<Step[]> =>
    (await page.must('GET', `api/instances/${instance.id}/timeline?id=${message_id}`)).steps
  const isRead = (steps: Step[]) => steps.some(({ status }) => status === 'read')
  for (const end = Date.now() + 20_000; !isRead(await shown()); await new Promise((resolve) => setTimeout(resolve, 50)))
    assert.ok(Date.now() < end, JSON.stringify(await shown()))
  const steps = await shown()
  assert.deepEqual(
    steps.flatMap(({ kind, status }) => (kind === 'receipt' ? [status] : [])),
    ['delivered', 'read'],
  )
  assert.deepEqual(
    steps.flatMap(({ kind, type }) => (kind === 'event' ? [type] : [])),
    ['delivery'],
  )
  await page.must('PUT', `api/instances/${instance.id}/webhooks`, { message_status_url: world.receiver.url })
})

test('a message that waits says what it waits for', async () => {
  const other = await page.must('POST', 'api/account/instances', { name: 'not paired' })
  const { svc_id, message_id } = await page.must('POST', `api/instances/${other.id}/send-text`, { phone: ANA, message: 'later' })
  const timeline = await page.must('GET', `api/instances/${other.id}/timeline?id=${message_id}`)
  assert.equal(timeline.state, 'waiting')
  assert.equal(timeline.svc_id, svc_id)
  assert.deepEqual(
    timeline.steps.map(({ kind, reason }: { kind: string; reason?: string }) => [kind, reason]),
    [
      ['queued', undefined],
      ['waiting', 'instance_not_connected'],
    ],
  )
  await live.waitFor('its queue', ({ event, data }) => event === 'instance' && data.id === other.id && data.queue === 1)
  await page.must('DELETE', `api/account/instances/${other.id}`)
  await live.waitFor('its end', ({ event, data }) => event === 'removed' && data.id === other.id)
})

test('what a broken receiver refused is found with its attempts, its body is shown while it is kept, and it goes out again', async () => {
  world.receiver.reply(
    ({ event }, response) => void response.writeHead(event.type === 'received' ? 422 : 200).end('<script>alert(1)</script>'),
  )
  await world.sandbox.send(ANA, ME, { text: 'hello from Ana' })
  const seen = await live.waitFor(
    'the failure',
    ({ event, data }) => event === 'deliveries' && data.instance_id === instance.id && data.retry > 0,
  )
  assert.equal(seen.data.failed, 0)
  const { data } = await page.must('GET', `api/admin/webhook-log?instance_id=${instance.id}&type=received&status=pending`)
  const [entry] = data
  const { attempts } = await page.must('GET', `api/webhook-log/${entry.id}`)
  assert.ok(attempts.length >= 1)
  assert.deepEqual([attempts[0].code, attempts[0].error], [422, 'status 422'])
  const shown = await page.must('POST', `api/webhook-log/${entry.id}/body`)
  assert.equal(shown.truncated, false)
  assert.equal(JSON.parse(shown.body).text.message, 'hello from Ana')
  world.receiver.reply(null)
  const after = await page.must('POST', `api/admin/webhook-log/${entry.id}/resend`)
  assert.equal(after.status, 'delivered')
  const detail = await page.must('GET', `api/webhook-log/${entry.id}`)
  assert.equal(detail.attempts.length, detail.entry.attempts)
  assert.equal(detail.attempts.at(-1).code, 200)
  assert.equal((await page.ask('POST', `api/webhook-log/${entry.id}/body`)).status, 404)
  assert.equal((await page.ask('GET', 'api/webhook-log/01JK3V8Q2M6T0Z4R7Y9B1C5D8F')).status, 404)
})

test('a name that wants to be a page is data', async () => {
  const { headers, body } = await page.ask('GET', 'api/instances?status=connected')
  assert.match(headers.get('content-type')!, /^application\/json/)
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(body.data[0].name, HOSTILE)
  assert.equal(body.total, 1)
  const rows = live.events.filter(isRow({ status: 'connected' }))
  assert.equal(rows.at(-1)!.data.name, HOSTILE)
})

test('whoever was cut off gets what was missed, once and in order; whoever was away too long gets everything', async () => {
  const first = await page.live()
  await first.waitFor('everything', ({ event }) => event === 'ready')
  assert.deepEqual(first.events[0], { id: null, event: 'reset', data: { total: 1 } })
  first.cut()
  const last = first.lastId()
  await page.must('PUT', `api/instances/${instance.id}/name`, { value: 'renamed while away' })
  await live.waitFor('the new name', isRow({ name: 'renamed while away' }))
  const again = await page.live(last)
  await again.waitFor('what was missed', isRow({ name: 'renamed while away' }))
  assert.ok(!again.events.some(({ event }) => event === 'reset'))
  const since = live.events.slice(live.events.findIndex(({ id }) => id === last) + 1).filter(({ id }) => id !== null)
  const got = again.events.filter(({ event }) => event !== 'ready')
  assert.deepEqual(got.map(({ id }) => id).slice(0, since.length), since.map(({ id }) => id).slice(0, got.length))
  again.cut()
  for (const stranger of ['01JK3V8Q2M6T0Z4R7Y9B1C5D8F-3', 'nonsense', `${last}99999999`]) {
    const anew = await page.live(stranger)
    await anew.waitFor('everything', ({ event }) => event === 'ready')
    assert.equal(anew.events[0]!.event, 'reset')
    anew.cut()
  }
})

test('a restart of its thread is told, and the numbers come back', async () => {
  const behind = (count: number, fits: (event: LiveEvent) => boolean) => (event: LiveEvent) =>
    live.events.indexOf(event) >= count && fits(event)
  const before = live.events.length
  await world.service.engine.crashShard(0)
  // The service reads the measurements of a thread once a second. If the dead thread restarts faster, no reading fails,
  // so the test does not wait for missing measurements.
  const begun = await live.waitFor(
    'it starts again',
    behind(before, isRow({ status: 'starting', status_reason: 'engine_restart' })),
  )
  await live.waitFor('it is back', behind(live.events.indexOf(begun), isRow({ queue: 0, status: 'connected' })))
})

test('health says what runs', async () => {
  const health = await page.must('GET', 'api/health')
  assert.deepEqual(
    health.threads.map(({ name, up }: { name: string; up: boolean }) => [name, up]),
    [
      ['main', true],
      ['shard 0', true],
    ],
  )
  assert.equal(health.threads[1].restarts, 1)
  assert.equal(health.threads[1].instances, 1)
  assert.equal(health.instances.connected, 1)
  assert.deepEqual(health.slots, { used: 1, total: 500 })
  assert.ok(health.data.store_bytes > 0 && health.data.free_bytes > 0 && health.memory.rss_mb > 0)
  assert.equal(health.checks.database, 'ok')
  assert.ok(!JSON.stringify(health).includes(world.dir), 'no path')
})

test('what an instance did is counted by the hour, and survives a restart of the service, like the charts', async () => {
  const look = () => page.must('GET', `api/activity?instance_id=${instance.id}`)
  const sum = (data: { hours: Record<string, number>[] }, name: string) =>
    data.hours.reduce((total, hour) => total + hour[name]!, 0)
  await page.must('POST', `api/instances/${instance.id}/send-text`, { phone: ANA, message: 'counted' })
  const before = await until(look, (data) => sum(data, 'sent') > 0 && sum(data, 'delivered') > 0)
  assert.deepEqual(await page.must('GET', 'api/activity'), before, 'there is one instance')
  const { series } = await until(
    () => page.must('GET', 'api/health'),
    (health) => health.series.points.length > 0,
  )
  await world.restartService()
  page = await signIn(world.gateway.baseUrl, world.gateway.admin.authorization.replace('Bearer ', ''))
  live.cut()
  live = await page.live()
  const after = await look()
  for (const name of ['sent', 'received', 'delivered', 'failed'])
    assert.ok(sum(after, name) >= sum(before, name), `${name}: ${sum(after, name)} of ${sum(before, name)}`)
  const steps = { hour: 10, day: 300, week: 3_600 }
  for (const [window, seconds] of Object.entries(steps)) {
    const { every_seconds, points } = (await page.must('GET', `api/health?window=${window}`)).series
    assert.equal(every_seconds, seconds)
    assert.ok(points.length > 0, window)
    if (window === 'hour') assert.deepEqual(points[0], series.points[0])
  }
})

test('whoever is about to lock themselves out is told', async () => {
  const check = (entries: string[], enabled = true) =>
    page.must('POST', 'api/allowlist/check', { enabled, entries: entries.map((cidr) => ({ cidr })) })
  assert.deepEqual(await check(['203.0.113.0/24']), { address: '127.0.0.1', locked_out: true, invalid: [] })
  assert.deepEqual(await check(['203.0.113.0/24', '127.0.0.0/8']), { address: '127.0.0.1', locked_out: false, invalid: [] })
  assert.deepEqual(await check(['nonsense', '10.0.0.1/8', '127.0.0.1']), {
    address: '127.0.0.1',
    locked_out: false,
    invalid: [0, 1],
  })
  assert.deepEqual(await check([], false), { address: '127.0.0.1', locked_out: false, invalid: [] })
})

test('a new admin key ends the session, and its stream says so', async () => {
  const { value } = await page.must('POST', 'api/admin/admin-key', {})
  const { data } = await live.waitFor('the end', ({ event }) => event === 'ended')
  assert.deepEqual(data, { reason: 'signed_out' })
  await live.ended
  assert.equal((await page.ask('GET', 'api/instances')).status, 401)
  assert.deepEqual(await page.must('GET', 'session'), { signed_in: false })
  const anew = await signIn(world.gateway.baseUrl, value)
  assert.equal((await anew.must('GET', 'api/instances')).total, 1)
})
