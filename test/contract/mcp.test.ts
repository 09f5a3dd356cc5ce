/**
 * Tests what `/mcp` answers over HTTP. `test/e2e/mcp.test.ts` tests the MCP protocol itself with the official client.
 */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { endpoints } from '../../src/features/index.ts'
import { toolsOf } from '../../src/features/tools.ts'
import { openService } from './http/service.ts'

let token: string
const service = await openService()
token = (await service.newInstance()).token
service.double.answer = () => ({ message_id: 'M', svc_id: 'S' })
after(() => service.close())

const post = (body: unknown, headers: Record<string, string> = {}, path = '/mcp') =>
  service.ask('POST', path, body, { Authorization: `Bearer ${token}`, ...headers })
const message = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 7, method, ...(params ? { params } : {}) })
const list = message('tools/list')
const text = message('tools/call', { name: 'send_text', arguments: { phone: '5511988887777', message: 'Hello' } })
const refusal = (body: { result: { isError: boolean; content: { text: string }[] } }) => {
  assert.equal(body.result.isError, true)
  return JSON.parse(body.result.content[0]!.text).error
}

describe('the transport', () => {
  test('takes POST alone', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, response, headers } = await service.ask(method, '/mcp', undefined, { Authorization: `Bearer ${token}` })
      assert.deepEqual([status, await response.text(), headers.get('Allow')], [405, '', 'POST'])
    }
  })

  test('answers JSON to whoever takes it', async () => {
    for (const accept of ['application/json', '*/*', 'application/*;q=0.5', 'text/event-stream, application/json']) {
      const { status, headers } = await post(list, { Accept: accept })
      assert.deepEqual([status, headers.get('Content-Type')], [200, 'application/json'], accept)
    }
    for (const accept of ['text/event-stream', 'text/html', 'application/jsonp'])
      assert.equal((await post(list, { Accept: accept })).status, 406)
  })

  test('lets the pages of its own origin in, and of no other', async () => {
    assert.equal((await post(list, { Origin: 'https://gw.example.com' })).status, 200)
    for (const origin of ['https://evil.example', 'http://gw.example.com', 'https://gw.example.com.evil.example', 'null']) {
      const { status, body } = await post(list, { Origin: origin })
      assert.deepEqual([status, body.error.code], [403, 'not_allowed'], origin)
    }
  })

  test('tells the browser of an allowed page, and of no other, that the page may call and read the answer', async () => {
    const others = await openService({ mcpAllowedOrigins: ['https://agents.example', 'https://gw.example.com'] })
    try {
      const { token } = await others.newInstance()
      const preflight = (origin: string) =>
        others.ask('OPTIONS', '/mcp', undefined, {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'authorization,content-type,mcp-protocol-version',
        })
      const allowed = await preflight('https://agents.example')
      assert.equal(allowed.status, 204)
      assert.equal(allowed.headers.get('Access-Control-Allow-Origin'), 'https://agents.example')
      assert.equal(allowed.headers.get('Access-Control-Allow-Methods'), 'POST')
      assert.equal(allowed.headers.get('Access-Control-Allow-Headers'), 'authorization,content-type,mcp-protocol-version')
      const refused = await preflight('https://evil.example')
      assert.deepEqual([refused.status, refused.headers.get('Access-Control-Allow-Origin')], [405, null])

      const origin = { Origin: 'https://agents.example' }
      for (const [value, status] of [
        [token, 200],
        ['wrong', 401],
      ] as const) {
        const answer = await others.ask('POST', '/mcp', list, { Authorization: `Bearer ${value}`, ...origin })
        assert.equal(answer.status, status)
        assert.equal(answer.headers.get('Access-Control-Allow-Origin'), origin.Origin)
        assert.match(answer.headers.get('Access-Control-Expose-Headers') ?? '', /WWW-Authenticate/)
        assert.equal(answer.headers.get('Vary'), 'Origin')
      }
      // The setting is for `/mcp`. The path of an instance contains a credential, so pages of other origins must not
      // call its routes.
      const { headers } = await others.ask('GET', '/health/live', undefined, origin)
      assert.equal(headers.get('Access-Control-Allow-Origin'), null)
    } finally {
      await others.close()
    }
  })

  test('takes one message of JSON-RPC 2.0', async () => {
    for (const [sent, code] of [
      ['{', -32700],
      ['"\ud800"', -32600],
      ['', -32700],
      [[list, list], -32600],
      [[], -32600],
      [{ ...list, jsonrpc: '1.0' }, -32600],
      [{ jsonrpc: '2.0', id: 1 }, -32600],
      [{ ...list, id: {} }, -32600],
      [null, -32600],
    ] as const) {
      const { status, body } = await post(sent)
      assert.deepEqual([status, body.error.code], [400, code], JSON.stringify(sent))
      assert.equal(body.jsonrpc, '2.0')
    }
    assert.equal((await post(message('tools/nothing'))).body.error.code, -32601)
    assert.equal((await post(message('tools/call', { name: 'nothing' }))).body.error.code, -32602)
    assert.equal((await post(message('tools/call', { arguments: {} }))).body.error.code, -32602)
    assert.equal((await post(message('tools/call', { name: 'send_text', arguments: 7 }))).body.error.code, -32602)
    assert.equal((await post(message('subscriptions/listen'))).body.error.code, -32601)
  })

  test('takes what wants no answer with 202', async () => {
    const { status, response } = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    assert.deepEqual([status, await response.text()], [202, ''])
  })

  test('begins with every revision it stands by, without a session', async () => {
    for (const version of ['2025-03-26', '2025-06-18', '2025-11-25']) {
      const begin = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
      const { body, headers } = await post(message('initialize', begin))
      assert.equal(body.result.protocolVersion, version)
      assert.deepEqual(body.result.capabilities, { tools: {} })
      assert.equal(headers.get('Mcp-Session-Id'), null)
    }
  })

  test('refuses what a large message is not for', async () => {
    const large = 'x'.repeat(300_000)
    assert.equal((await post(message('tools/list', { cursor: large }))).body.error.code, -32600)
    assert.equal((await post(message('tools/call', { name: 'nothing', arguments: { large } }))).body.error.code, -32600)
    assert.equal((await post(`${large}`)).body.error.code, -32700)
    const refused = await post(
      message('tools/call', { name: 'send_text', arguments: { phone: '5511988887777', message: large } }),
    )
    assert.deepEqual(refusal(refused.body).details.issues[0].path, 'message')
  })

  test('names arguments that do not exist', async () => {
    const { headers } = await post({
      ...text,
      params: { ...text.params, arguments: { phone: '5511988887777', message: 'x', priority: 1 } },
    })
    assert.equal(headers.get('X-Svc-Ignored-Fields'), 'priority')
  })
})

test('each tool is an operation of the contract, with words and an object of arguments', () => {
  const tools = toolsOf()
  assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length)
  for (const { name, description, inputSchema, annotations } of tools) {
    assert.match(name, /^[a-z_]{1,64}$/)
    assert.ok(description.length > 0 && annotations.title.length > 0, name)
    assert.equal(inputSchema.type, 'object')
  }
  const ids = new Set(endpoints.map(({ id }) => id))
  assert.ok(ids.has('contacts.exists') && tools.some(({ name }) => name === 'phone_exists'))
})

const TOOLS = {
  reads: [
    ...['instance_status', 'instance_me', 'instance_device', 'instance_qr_code', 'queue_list', 'chats_list', 'chats_get'],
    ...['contacts_list', 'contacts_get', 'phone_exists', 'phone_exists_batch', 'groups_list', 'groups_metadata'],
    ...['groups_invitation_link', 'groups_participant_requests', 'communities_list', 'communities_metadata'],
    ...['newsletters_list', 'newsletters_metadata', 'newsletters_search', 'newsletters_messages'],
    ...['labels_list', 'business_profile', 'business_products', 'list_operations', 'describe_operation'],
  ],
  writes: [
    ...['instance_phone_code', 'instance_restart', 'send_text', 'send_image', 'send_audio', 'send_video', 'send_document'],
    ...['send_location', 'send_contact', 'send_link', 'send_poll', 'send_reaction', 'read_message', 'send_presence'],
    ...['chats_archive', 'chats_pin', 'chats_mute', 'chats_read', 'contacts_block', 'contacts_unblock', 'groups_create'],
    ...['groups_update_name', 'groups_update_description', 'groups_update_settings', 'groups_add_participants'],
    ...['groups_promote_participants', 'groups_demote_participants', 'groups_approve_participants'],
    ...['groups_reject_participants', 'labels_add_to_chat', 'labels_remove_from_chat'],
  ],
  destroys: ['queue_clear', 'queue_remove', 'groups_remove_participants', 'groups_leave', 'call_operation'],
}

test('the tools are those of the contract, each with what it may do', () => {
  const named = (is: (hints: { readOnlyHint: boolean; destructiveHint: boolean }) => boolean) =>
    toolsOf()
      .filter(({ annotations }) => is(annotations))
      .map(({ name }) => name)
      .sort()
  assert.deepEqual(
    named(({ readOnlyHint }) => readOnlyHint),
    TOOLS.reads.sort(),
  )
  assert.deepEqual(
    named(({ readOnlyHint, destructiveHint }) => !readOnlyHint && !destructiveHint),
    TOOLS.writes.sort(),
  )
  assert.deepEqual(
    named(({ destructiveHint }) => destructiveHint),
    TOOLS.destroys.sort(),
  )
  assert.ok(toolsOf().every(({ annotations }) => annotations.openWorldHint))
})

test('a toolset that there is none of is named', async () => {
  const { status, body } = await post(list, {}, '/mcp?toolsets=groups,nothing')
  assert.deepEqual([status, body.error.details.issues[0].path], [400, 'toolsets'])
  const { body: some } = await post(list, {}, '/mcp?toolsets=queue')
  assert.deepEqual(
    some.result.tools.map(({ name }: { name: string }) => name),
    ['queue_list', 'queue_clear', 'queue_remove'],
  )
})

test('a toolset is a fence: a tool outside of it is neither listed nor called, whatever the size of the call', async () => {
  const calls = service.double.calls.length
  const outside = [
    message('tools/call', { name: 'queue_clear', arguments: {} }),
    message('tools/call', { name: 'send_text', arguments: { phone: '5511988887777', message: 'x'.repeat(300_000) } }),
    message('tools/call', { name: 'call_operation', arguments: { operation_id: 'queue.clear', arguments: {} } }),
    message('tools/call', { name: 'list_operations', arguments: {} }),
  ]
  for (const call of outside) {
    const { status, body } = await post(call, {}, '/mcp?toolsets=chats,labels')
    const { name } = call.params as { name: string }
    assert.deepEqual(
      [status, body.error],
      [200, { code: -32602, message: `The tool ${name} is not in the toolsets of this address (chats, labels).` }],
    )
  }
  assert.equal(service.double.calls.length, calls, 'nothing was carried out')
  const { body: none } = await post(message('tools/call', { name: 'nothing' }), {}, '/mcp?toolsets=send')
  assert.deepEqual(none.error, { code: -32602, message: 'There is no tool nothing.' })
  const { body: inside } = await post(text, {}, '/mcp?toolsets=send')
  assert.equal(inside.result.structuredContent.status, 'queued')
})

test('an address that means to have a fence is not left without one', async () => {
  for (const [query, path] of [
    ['toolset=send', 'toolset'],
    ['ToolSets=send', 'ToolSets'],
    ['tool_sets=send', 'tool_sets'],
    ['toolsets[]=send', 'toolsets[]'],
    ['toolsets=send&toolsets=queue', 'toolsets'],
    ['toolsets=', 'toolsets'],
  ]) {
    const { status, body } = await post(list, {}, `/mcp?${query}`)
    assert.deepEqual([status, body.error.details?.issues[0].path], [400, path], query)
  }
})

test('an agent is told of the tools that reach every operation only where it has them', async () => {
  const hello = message('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  })
  assert.match((await post(hello)).body.result.instructions, /call_operation/)
  assert.doesNotMatch((await post(hello, {}, '/mcp?toolsets=send')).body.result.instructions, /call_operation/)
})

test('the subscription is asked before the arguments, for what sends and writes alone', async () => {
  const { subscription } = service.account.workspace(service.workspace)
  await service.changeWorkspace(() => ({ subscription: { ...subscription, status: 'expired' } }))
  const bad = message('tools/call', { name: 'send_text', arguments: {} })
  assert.equal(refusal((await post(bad)).body).code, 'subscription_required')
  const large = message('tools/call', { name: 'send_text', arguments: { message: 'x'.repeat(300_000) } })
  assert.equal(refusal((await post(large)).body).code, 'subscription_required')
  const any = message('tools/call', { name: 'call_operation', arguments: { operation_id: 'send.sendText', arguments: {} } })
  assert.equal(refusal((await post(any)).body).code, 'subscription_required')
  assert.equal((await post(message('tools/call', { name: 'instance_me' }))).body.result.structuredContent.name, 'Support BR')
  await service.changeWorkspace(() => ({ subscription }))
  const { body } = await post(text)
  assert.deepEqual(body.result.structuredContent, { id: 'M', message_id: 'M', svc_id: 'S', status: 'queued' })
})

test('a defect is told without a word of its cause', async () => {
  service.double.answer = () => {
    throw new Error('the password is hunter2')
  }
  const { status, body } = await post(text)
  assert.deepEqual([status, refusal(body).code], [200, 'internal'])
  assert.ok(!JSON.stringify(body).includes('hunter2'))
})
