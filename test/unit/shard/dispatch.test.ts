import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import type { RuntimeState, Status } from '../../../src/domain/instance.ts'
import { createLog } from '../../../src/log.ts'
import type { AskOptions } from '../../../workers/shard/connection/ask.ts'
import { createDispatch, type DispatchDeps } from '../../../workers/shard/dispatch.ts'
import { failsWith } from '../../harness/failures.ts'
import { askOver } from '../connection/asking.ts'

function instance(status: Status, { isOpen = true } = {}) {
  const asked: BinaryNode[] = []
  const told: string[] = []
  /**
   * Requests that wait for their turn. Each entry is called when the turn comes, and returns true if the request is
   * still wanted.
   */
  const turns: (() => boolean)[] = []
  const enqueued: unknown[] = []
  const network = { answer: async (): Promise<BinaryNode> => ({ tag: 'iq', attrs: { type: 'result' } }) }
  let finish = () => {}
  const sock = {
    query(query: BinaryNode) {
      asked.push(query)
      return network.answer()
    },
  }
  const session = { isOpen, asking: (options: AskOptions) => askOver(sock, undefined, options) }
  const state = { status } as RuntimeState
  const context = { id: 'i', log: createLog({ level: 'silent' }, 'test'), config: () => ({}) } as unknown as Parameters<
    typeof createDispatch
  >[0]
  const deps = {
    sending: {
      queue: {},
      async enqueue(call: unknown, key?: string) {
        enqueued.push([call, key])
        return { message_id: '3EB0', svc_id: '1' }
      },
    },
    status: {
      state,
      handle({ type }: { type: string }, isCurrent = () => true) {
        told.push(type)
        turns.push(isCurrent)
        return new Promise<RuntimeState>((resolve) => {
          finish = () => resolve(state)
        })
      },
    },
    shown: () => (status === 'connected' && !isOpen ? { ...state, status: 'disconnected' } : state),
    session: () => session,
    messages: {},
  } as unknown as DispatchDeps
  return { call: createDispatch(context, deps), asked, told, turns, state, enqueued, network, finish: () => finish() }
}

const action = (operation: string, input: unknown = {}) =>
  ({ kind: 'action', operation, input, deadlineMs: 20 * SECOND, notFound: 'chat_not_found' }) as const

test('an action is done on the open connection, and its answer is the handler’s', async () => {
  const { call, asked } = instance('connected')
  assert.deepEqual(await call(action('privacy.online', { value: 'all' })), { value: true })
  assert.deepEqual(
    asked.map(({ attrs }) => attrs.xmlns),
    ['privacy'],
  )
})

for (const [status, code] of [
  ['starting', 'instance_starting'],
  ['connecting', 'instance_starting'],
  ['disconnected', 'instance_not_connected'],
  ['qr', 'instance_not_connected'],
  ['logged_out', 'instance_not_connected'],
] as const)
  test(`an action of an instance that is ${status} is ${code}, and the network is not asked`, async () => {
    const { call, asked } = instance(status)
    await assert.rejects(call(action('privacy.online', { value: 'all' })), failsWith(code))
    assert.equal(asked.length, 0)
  })

// The instance notices that its socket has ended before its status says so.
test('nor is it while the status does not know yet that the socket has closed', async () => {
  const { call } = instance('connected', { isOpen: false })
  await assert.rejects(call(action('privacy.online', { value: 'all' })), failsWith('instance_not_connected'))
})

test('an action has the deadline of its declaration, and what 404 means to it', async (t) => {
  const { call, network } = instance('connected')
  network.answer = () => Promise.reject(Object.assign(new Error('refused'), { data: 404 }))
  await assert.rejects(call(action('privacy.online', { value: 'all' })), failsWith('chat_not_found'))
  t.mock.timers.enable({ apis: ['setTimeout'] })
  network.answer = () => new Promise<never>(() => {})
  const late = assert.rejects(
    call({ ...action('privacy.online', { value: 'all' }), deadlineMs: 5_000 }),
    failsWith('send_timeout'),
  )
  t.mock.timers.tick(5_000)
  await late
})

test('an id that no declaration has is not found', async () => {
  const { call } = instance('connected')
  for (const operation of ['labels.explode', 'toString', '__proto__'])
    await assert.rejects(call(action(operation)), failsWith('not_found'))
  await assert.rejects(call({ kind: 'control', operation: 'labels.explode', input: {} }), failsWith('not_found'))
})

test('a send is for the queue in any state, under its key', async () => {
  const { call, enqueued } = instance('disconnected')
  const send = { kind: 'send', operation: 'send.sendText', input: {}, to: '1', about: null, preview: null } as never
  assert.deepEqual(await call(send, { idempotencyKey: 'key' }), { message_id: '3EB0', svc_id: '1' })
  assert.deepEqual(enqueued, [[send, { idempotencyKey: 'key' }]])
})

test('whoever asks for a restart during one joins it', async () => {
  const { call, told, finish } = instance('connected')
  const restart = { kind: 'control', operation: 'instance.restart', input: {} } as const
  const both = [call(restart), call(restart)]
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(told, ['restartRequested'])
  finish()
  for (const one of both) assert.deepEqual(await one, { value: true, status: 'connected' })
  const next = call(restart)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(told.length, 2)
  finish()
  await next
})

describe('a call that is only for an instance without an account', () => {
  const restart = { kind: 'control', operation: 'instance.restart', input: {}, ifUnpaired: true } as const

  test('is refused once an account is linked', async () => {
    const { call, told, state } = instance('connecting')
    state.paired = true
    await assert.rejects(call(restart), failsWith('instance_already_connected'))
    assert.deepEqual(told, [])
  })

  test('is refused if the account is linked while it waits for its turn, which then passes', async () => {
    const { call, state, turns, finish } = instance('qr')
    const asked = call(restart)
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(turns[0]!(), true)
    state.paired = true
    assert.equal(turns[0]!(), false)
    finish()
    await assert.rejects(asked, failsWith('instance_already_connected'))
  })
})
