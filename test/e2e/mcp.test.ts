/**
 * Connects the official MCP client with each revision of the protocol. It calls tools that send, tools that query, and
 * tools that fail.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Instance } from '../harness/gateway.ts'
import { sampleWith } from '../harness/samples.ts'
import { startWorldOfTwo } from '../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'

const { world, instance, unpaired } = await startWorldOfTwo({ me: ME, contact: ANA })
after(() => world.stop())

type Mode = 'legacy' | 'auto' | { pin: string }

async function connect({ of = instance, mode = 'auto' as Mode, query = '' } = {}) {
  const answers: Response[] = []
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const transport = new StreamableHTTPClientTransport(new URL(`${world.gateway.baseUrl}/mcp${query}`), {
    requestInit: { headers: { Authorization: `Bearer ${of.token}` } },
    async fetch(url, init) {
      const answer = await fetch(url, init)
      answers.push(answer.clone())
      return answer
    },
  })
  await client.connect(transport)
  return { client, answers }
}

test('an agent with the configuration that docs/agents.md shows is connected', async () => {
  const sample = sampleWith('docs/agents.md', 'mcpServers')
  const filled = sample.replace('https://gw.example.com', world.gateway.baseUrl).replace('<token>', instance.token)
  const { type, url, headers } = JSON.parse(filled).mcpServers.whatsapp
  assert.equal(type, 'http')
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  assert.ok((await client.listTools()).tools.length > 0)
  await client.close()
})

interface Result {
  content: { type: string; text?: string; data?: string; mimeType?: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}
type Agent = Awaited<ReturnType<typeof connect>>['client']
const call = async (client: Agent, name: string, args: Record<string, unknown> = {}) =>
  (await client.callTool({ name, arguments: args })) as unknown as Result
const textOf = ({ content }: Result) => content.find(({ type }) => type === 'text')!.text!
async function refusal(client: Agent, name: string, args: Record<string, unknown> = {}) {
  const result = await call(client, name, args)
  assert.equal(result.isError, true, textOf(result))
  return JSON.parse(textOf(result)).error as { code: string; details: { issues?: { path: string }[] } }
}

for (const mode of [{ pin: '2026-07-28' }, 'legacy'] as const)
  describe(`the official client, ${mode === 'legacy' ? 'with initialize' : mode.pin}`, () => {
    test('lists the tools, and sends a text that arrives', async () => {
      const { client, answers } = await connect({ mode })
      assert.equal(client.getServerVersion()?.name, 'svc')
      assert.deepEqual(client.getServerCapabilities(), { tools: {} })
      const { tools } = await client.listTools()
      assert.equal(tools.length, 62)
      const sendText = tools.find(({ name }) => name === 'send_text')!
      assert.deepEqual(sendText.inputSchema.required, ['phone', 'message'])
      assert.deepEqual(sendText.annotations, {
        title: 'Send a text',
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      })
      assert.ok(
        tools.every(({ inputSchema }) => !('instance_id' in inputSchema.properties!) && !('token' in inputSchema.properties!)),
      )
      const message = `by a tool, ${JSON.stringify(mode)}`
      const sent = await call(client, 'send_text', { phone: ANA, message })
      assert.equal(sent.isError ?? false, false)
      assert.deepEqual(JSON.parse(textOf(sent)), sent.structuredContent)
      assert.equal(sent.structuredContent!.status, 'queued')
      const id = sent.structuredContent!.message_id
      await world.receiver.waitFor('delivery', ({ type, message_id }) => type === 'delivery' && message_id === id)
      assert.ok((await world.sandbox.inbox(ANA)).some(({ text, id: theirs }) => text === message && theirs === id))
      for (const answer of answers) {
        // Clients try to open a stream after `initialize`. The service has no streams for this, and answers with 405.
        const type = answer.status === 202 || answer.status === 405 ? null : 'application/json'
        assert.equal(answer.headers.get('Content-Type'), type)
        assert.equal(answer.headers.get('Mcp-Session-Id'), null)
        assert.equal(answer.headers.get('X-RateLimit-Limit'), '60')
      }
      await client.close()
    })

    test('what an operation refuses is a result with the error body', async () => {
      const { client } = await connect({ mode })
      assert.equal((await refusal(client, 'send_text', { phone: 'nobody', message: 'x' })).code, 'invalid_phone')
      const missing = await refusal(client, 'send_text', { phone: ANA })
      assert.deepEqual([missing.code, missing.details.issues?.[0]?.path], ['invalid_request', 'message'])
      const late = await refusal(client, 'send_text', { phone: ANA, message: 'x', send_at: '2999-01-01T00:00:00Z' })
      assert.equal(late.details.issues?.[0]?.path, 'send_at')
      assert.equal((await refusal(client, 'queue_remove', { svc_id: '01JK3V8Q2M6T0Z4R7Y9B1C5D8F' })).code, 'not_found')
      await assert.rejects(call(client, 'send_nothing'), ({ code }: { code: number }) => code === -32602)
      const other = await connect({ mode, of: unpaired })
      assert.equal((await refusal(other.client, 'chats_list')).code, 'instance_not_connected')
    })
  })

test('reads the account without its credentials', async () => {
  const { client } = await connect()
  assert.equal((await call(client, 'instance_status')).structuredContent!.connected, true)
  const me = await call(client, 'instance_me')
  assert.equal(me.structuredContent!.id, instance.id)
  for (const secret of [instance.token, instance.webhooks.secret]) assert.ok(!JSON.stringify(me).includes(secret))
  assert.deepEqual((await call(client, 'phone_exists', { phone: ANA })).structuredContent!.exists, true)
})

test('shows the QR code as a picture', async () => {
  const { client } = await connect({ of: unpaired })
  let shown: Result
  do shown = await call(client, 'instance_qr_code')
  while (shown.content.length < 2)
  const [picture] = shown.content
  assert.equal(picture!.mimeType, 'image/png')
  assert.deepEqual([...Buffer.from(picture!.data!, 'base64').subarray(1, 4)], [...Buffer.from('PNG')])
  assert.equal(shown.structuredContent!.connected, false)
})

test('three tools reach the operations that have none of their own, and those that nobody may reach stay away', async () => {
  const { client } = await connect({ query: '?toolsets=operations,labels' })
  assert.deepEqual((await client.listTools()).tools.map(({ name }) => name).sort(), [
    'call_operation',
    'describe_operation',
    'labels_add_to_chat',
    'labels_list',
    'labels_remove_from_chat',
    'list_operations',
  ])
  const all = (await call(client, 'list_operations')).structuredContent!.data as { operation_id: string }[]
  const ids = all.map(({ operation_id }) => operation_id)
  assert.ok(ids.includes('privacy.lastSeen') && ids.includes('send.sendSticker'))
  const held = /^(webhooks|account|admin|system)\.|^instance\.(disconnect|updateSettings)$/
  assert.deepEqual(
    ids.filter((id) => held.test(id)),
    [],
  )
  const profile = (await call(client, 'list_operations', { area: 'profile' })).structuredContent!.data as {
    operation_id: string
  }[]
  assert.ok(profile.length > 0 && profile.every(({ operation_id }) => operation_id.startsWith('profile.')))
  const described = (await call(client, 'describe_operation', { operation_id: 'profile.updateName' })).structuredContent!
  assert.deepEqual((described.input_schema as { required: string[] }).required, ['value'])
  const done = await call(client, 'call_operation', { operation_id: 'profile.updateName', arguments: { value: 'By an agent' } })
  assert.deepEqual(done.structuredContent, { value: true })
  for (const operation_id of ['instance.disconnect', 'webhooks.update', 'instance.updateSettings', 'admin.workspace', 'no.such'])
    assert.equal((await refusal(client, 'call_operation', { operation_id })).code, 'not_found', operation_id)
  assert.equal((await refusal(client, 'call_operation', { operation_id: 'x'.repeat(65) })).code, 'invalid_request')
  assert.equal((await world.gateway.must(instance, 'GET', '/status')).connected, true)
})

test('a picture that is too large for the HTTP thread arrives as any other, and is refused as any other', async () => {
  const { client } = await connect()
  // Noise cannot be compressed, so the image stays large in every format.
  const { default: sharp } = await import('sharp')
  const raw = { width: 500, height: 500, channels: 3 as const }
  const png = await sharp(randomBytes(raw.width * raw.height * 3), { raw })
    .png()
    .toBuffer()
  const image = `data:image/png;base64,${png.toString('base64')}`
  assert.ok(image.length > 256 * 1024)
  const sent = await call(client, 'send_image', { phone: ANA, image, caption: 'noise' })
  const id = sent.structuredContent!.message_id
  await world.receiver.waitFor('delivery', ({ type, message_id }) => type === 'delivery' && message_id === id)
  const [item] = (await world.sandbox.inbox(ANA)).filter((each) => each.id === id)
  assert.equal(item?.media?.error, undefined)
  assert.equal(item?.kind, 'image')
  assert.equal((await refusal(client, 'send_image', { phone: 'nobody', image })).code, 'invalid_phone')
  assert.equal((await refusal(client, 'list_operations', { area: image })).code, 'invalid_request')
})

test('the token that was, is no credential any more', async () => {
  const other = await world.gateway.createInstance(null)
  const { client } = await connect({ of: other })
  const path = `${world.gateway.baseUrl}/account/instances/${other.id}`
  const { token } = (await (
    await fetch(`${path}/rotate-token`, { method: 'POST', headers: world.gateway.account })
  ).json()) as Instance
  await assert.rejects(call(client, 'instance_me'))
  await connect({ of: { ...other, token } })
  await fetch(path, { method: 'DELETE', headers: world.gateway.account })
  await assert.rejects(connect({ of: { ...other, token } }))
})
