import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { type Family, parse, total } from '../harness/prometheus.ts'
import { startWorld } from '../harness/world.ts'

const ME = '5511999990009'
const TWIN = '5511999990019'
const ANA = '5511988880001'
/** A number without an account: on the simulated network, no number that ends in four zeros has one. */
const NOBODY = '5511988880000'
const TOKEN = 'a-token-of-the-operator'

/**
 * Matches the allowed values of labels: a word from a table of the service or from the protocol, a status code, or a
 * declared route.
 */
const WORD = /^(?:[A-Za-z_.]+|[a-z]+(?::[a-z0-9]+)+|[1-5]\d\d|(?:\/(?:[a-z-]+|\{[a-z_]+\}|openapi\.json))+)$/

const world = await startWorld({ shards: 2, env: { SVC_METRICS_TOKEN: TOKEN } })
const { gateway, sandbox, receiver } = world
const instance = await gateway.connected(sandbox, ME, receiver)
const twin = await gateway.connected(sandbox, TWIN, receiver)
after(() => world.stop())

async function text(): Promise<string> {
  const response = await fetch(`${world.gateway.baseUrl}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  assert.equal(response.status, 200)
  return response.text()
}
const scrape = async () => parse(await text())

/** Reads the metrics for up to 20 s until `fits` accepts them. Other threads report their counts a moment later. */
async function until(what: string, fits: (families: Map<string, Family>) => boolean): Promise<Map<string, Family>> {
  const end = Date.now() + 20_000
  for (;;) {
    const families = await scrape()
    if (fits(families)) return families
    if (Date.now() > end) assert.fail(`the metrics never said: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const deliveryOf = (id: string) =>
  world.receiver.waitFor('the delivery', (event) => event.message_id === id && event.type === 'delivery')

test('who has no token gets no numbers', async () => {
  const { status } = await fetch(`${world.gateway.baseUrl}/metrics`)
  assert.equal(status, 401)
})

test('connected instances, their changes of status, and the ages of what they heard last', async () => {
  const families = await scrape()
  assert.equal(total(families, 'svc_instances', { status: 'connected' }), 2)
  assert.equal(total(families, 'svc_instances'), 2)
  for (const to of ['created', 'starting', 'qr', 'connecting', 'connected'])
    assert.equal(total(families, 'svc_instance_status_changes_total', { to }), 2, to)
  assert.equal(total(families, 'svc_inbound_age_instances', { le: '+Inf' }), 2)
  assert.ok(total(families, 'svc_inbound_age_max_seconds') < 60)
})

test('a text that leaves and one that comes are counted by their operation and as stanza, event and delivery', async () => {
  const before = await scrape()
  const { message_id } = await world.gateway.sendText(instance, ANA, 'hello')
  await deliveryOf(message_id)
  await world.sandbox.send(ANA, ME, { text: 'hello you' })
  const grown = (families: Map<string, Family>, name: string, labels: Record<string, string>) =>
    total(families, name, labels) - total(before, name, labels)
  const families = await until(
    'everything is delivered',
    (now) =>
      grown(now, 'svc_webhook_deliveries_total', { type: 'received', result: 'delivered' }) === 1 &&
      total(now, 'svc_webhook_backlog') === 0,
  )
  assert.equal(grown(families, 'svc_queue_sent_total', { type: 'send.sendText' }), 1)
  assert.equal(grown(families, 'svc_inbound_stanzas_total', { kind: 'message' }), 1)
  assert.equal(grown(families, 'svc_events_total', { type: 'received' }), 1)
  assert.equal(grown(families, 'svc_events_total', { type: 'delivery' }), 1)
  assert.equal(total(families, 'svc_webhook_duration_seconds_count'), total(families, 'svc_webhook_deliveries_total'))
  assert.equal(total(families, 'svc_queue_waiting'), 0)
})

// A newer network may send stanzas of unknown kinds. Without an acknowledgement, it would send them again and again.
test('a kind of stanza that nobody knows is confirmed and counted, as is one that is left alone on purpose', async () => {
  const kinds = { new_kind: 'svc_stanzas_unknown_total', 'w:growth': 'svc_stanzas_left_total' }
  const before = await scrape()
  for (const [index, type] of Object.keys(kinds).entries()) {
    const id = `KIND${index}`
    const acked = world.sandbox.post<{ items: unknown[] }>('/expect', {
      match: { from: 'client', tag: 'ack', attrs: { id, class: 'notification', type } },
    })
    const node = ['notification', { id, from: 's.whatsapp.net', type, t: '1795360566' }, [['invite', {}]]]
    await world.sandbox.post('/stanzas', { phone: ME, node, keep: true })
    assert.equal((await acked).items.length, 1, type)
  }
  const after = await scrape()
  for (const [type, name] of Object.entries(kinds))
    assert.equal(total(after, name, { tag: 'notification', type }) - total(before, name, { tag: 'notification', type }), 1, type)
})

test('a message that cannot go is counted with its error code', async () => {
  const { message_id } = await world.gateway.sendText(instance, NOBODY, 'to nobody')
  assert.equal((await deliveryOf(message_id)).error_code, 'phone_not_on_whatsapp')
  const failed = (families: Map<string, Family>) => total(families, 'svc_queue_failed_total')
  const families = await until('it failed', (now) => failed(now) === 1)
  const [{ labels } = assert.fail('no series')] = families.get('svc_queue_failed_total')!.samples
  assert.deepEqual(labels, { type: 'send.sendText', error_code: 'phone_not_on_whatsapp' })
})

test('a receiver that fails is seen in the retries, and in the backlog until it takes the event', async () => {
  world.receiver.reply((_, response) => response.writeHead(500).end())
  await world.sandbox.send(ANA, ME, { text: 'fails first' })
  const families = await until(
    'one waits',
    (now) =>
      total(now, 'svc_webhook_backlog') === 1 &&
      total(now, 'svc_webhook_deliveries_total', { type: 'received', result: 'retry' }) === 1,
  )
  assert.equal(total(families, 'svc_webhook_deliveries_total', { result: 'failed' }), 0)
  world.receiver.reply(null)
  await until('nothing waits', (now) => total(now, 'svc_webhook_backlog') === 0)
})

test('immediate operations are timed by operation, and a caller that is too fast is counted', async () => {
  const route = '/instances/{instance_id}/token/{token}/queue'
  const counted = (families: Map<string, Family>) => [
    total(families, 'svc_rate_limited_total', { scope: 'instance' }),
    total(families, 'svc_http_requests_total', { method: 'GET', route, status: '429' }),
    total(families, 'svc_engine_action_duration_seconds_count', { operation: 'queue.list' }),
  ]
  assert.deepEqual(counted(await scrape()), [0, 0, 0])
  // The bucket has 120 tokens, and is refilled while the test empties it. So on a slow machine more than 120 requests
  // are needed.
  const statuses: number[] = []
  while (!statuses.includes(429)) {
    const answers = Array.from({ length: 100 }, () => world.gateway.ask(twin, 'GET', '/queue'))
    statuses.push(...(await Promise.all(answers)).map(({ status }) => status))
  }
  const refused = statuses.filter((status) => status === 429).length
  assert.deepEqual(counted(await scrape()), [refused, refused, statuses.length - refused])
})

test('a caller that goes in the middle of its request is counted as gone', async () => {
  const { port } = new URL(world.gateway.baseUrl)
  const socket = connect(Number(port), '127.0.0.1')
  const path = new URL(`${instance.api_url}/send-text`).pathname
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`
  socket.write(`${head}{"phone":`, () => socket.destroy())
  const families = await until('it has gone', (now) => total(now, 'svc_http_requests_total', { status: '499' }) === 1)
  const { labels } = families.get('svc_http_requests_total')!.samples.find((sample) => sample.labels.status === '499')!
  assert.equal(labels.route, '/instances/{instance_id}/token/{token}/send-text')
})

test('counters do not go back when a shard dies, and go on when it is back', async () => {
  const before = await scrape()
  const shard = world.service.engine.shardOf(instance.id)!
  await world.service.engine.crashShard(shard)
  const counters = (families: Map<string, Family>) =>
    [...families].filter(([name, { type }]) => name.startsWith('svc_') && type !== 'gauge').map(([, { samples }]) => samples)
  const never = (after: Map<string, Family>, when: string) => {
    for (const { name, labels, value } of counters(before).flat())
      assert.ok(total(after, name, labels) >= value, `${name} ${JSON.stringify(labels)} went back ${when}`)
  }
  never(await scrape(), 'while the shard was down')
  // The metrics show the last known status until the shard is back. So the test waits for this counter.
  await until('it is connected anew', (now) => total(now, 'svc_engine_reconnects_total', { reason: 'engine_restart' }) === 1)
  await world.gateway.waitForStatus(instance, 'connected')
  const { message_id } = await world.gateway.sendText(instance, ANA, 'back again')
  await deliveryOf(message_id)
  const sent = (families: Map<string, Family>) => total(families, 'svc_queue_sent_total', { type: 'send.sendText' })
  const after = await until('it was sent', (families) => sent(families) === sent(before) + 1)
  never(after, 'when the shard was back')
})

test('no label and no text holds an id, a number, a token or a URL', async () => {
  const shown = await text()
  const secrets = [instance, twin].flatMap(({ id, token, webhooks }) => [id, token, webhooks.secret])
  for (const secret of [...secrets, ME, TWIN, ANA, TOKEN, world.gateway.key, world.receiver.url, '127.0.0.1'])
    assert.ok(!shown.includes(secret), secret)
  for (const [name, { samples }] of parse(shown))
    for (const { labels } of name.startsWith('svc_') ? samples : [])
      for (const [label, value] of Object.entries(labels)) if (label !== 'le') assert.match(value, WORD, `${name} ${label}`)
})
