/** Tests calls for instances that wait for their start, because only some starts per second are allowed. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Failure } from '../../../src/domain/failures.ts'
import { DEFAULT_SETTINGS, type InstanceConfig, type WebhookSettings } from '../../../src/domain/instance.ts'
import type { CallerPatience, CallOf } from '../../../src/engine/engine.ts'
import { createPooledEngine, type PooledEngine } from '../../../src/engine/pooled-engine.ts'
import { failureResponse } from '../../../src/http/errors.ts'
import { createWebhookLog } from '../../../src/webhooks/webhook-log.ts'
import { SMALL_POOL } from './small-pool.ts'

const ECHO = { kind: 'control', operation: 'echo', input: null } as unknown as CallOf<'instance.status'>
const configOf = (id: string): InstanceConfig => ({
  id,
  tokenTag: 'tag',
  settings: DEFAULT_SETTINGS,
  webhooks: {} as WebhookSettings,
})

const called = async (engine: PooledEngine, id: string, patience: CallerPatience = {}) =>
  ((await engine.call(id, ECHO, {}, patience)) as unknown as { calls: number }).calls

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error = await work.then(
    () => assert.fail('The call was not refused.'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof Failure, String(error))
  return error
}

/** Returns the failure of a call. Throws if the call was not refused at once. */
async function refusalOf(call: Promise<unknown>): Promise<Failure> {
  const began = performance.now()
  const failure = await failureOf(call)
  assert.ok(performance.now() - began < 900, 'refused at once')
  assert.equal(failure.details?.reason, 'not_started')
  return failure
}

describe('a line of starts, one a second', { timeout: 60_000 }, () => {
  let engine: PooledEngine
  let starts: Promise<unknown>[]
  before(async () => {
    engine = await createPooledEngine({ ...SMALL_POOL, shards: 1, startsPerSecond: 1 })
    starts = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => engine.start(configOf(id), 'boot').catch(() => {}))
    await starts[0]
  })
  after(async () => {
    await engine.close(1_000)
    await Promise.all(starts)
  })

  test('20 calls wait for a start, in their order; no further call and no caller that leaves waits', async () => {
    const leaving = new AbortController()
    const left = refusalOf(called(engine, 'f', { signal: leaving.signal }))
    const waiting = Array.from({ length: 19 }, () => called(engine, 'f'))
    const oneMore = await refusalOf(called(engine, 'f'))
    assert.match(oneMore.message, /^Too many requests wait/)
    leaving.abort()
    await left
    waiting.push(called(engine, 'f'))
    assert.equal(failureResponse(await refusalOf(called(engine, 'f', { waits: false }))).headers.get('Retry-After'), '1')
    assert.deepEqual(
      await Promise.all(waiting),
      Array.from({ length: 20 }, (_, index) => index + 1),
    )
  })

  test('a call whose start is due later than three seconds is refused at once, and told when', async () => {
    called(engine, 'd').catch(() => {})
    const refusal = failureResponse(await refusalOf(called(engine, 'e')))
    assert.deepEqual([refusal.status, refusal.headers.get('Retry-After')], [503, '4'])
  })
})

test('events of two instances are sent again, of which one is not started; the calls that wait at the end are told why', {
  timeout: 60_000,
}, async () => {
  const engine = await createPooledEngine({ ...SMALL_POOL, shards: 1, startsPerSecond: 1 })
  const starts = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => engine.start(configOf(id), 'boot').catch(() => {}))
  await starts[0]
  const replayOf = (...ids: string[]) => {
    const events = ids.map((instanceId) => ({ instanceId, eventIds: [`of ${instanceId}`] }))
    const reader = {
      list: async () => assert.fail(),
      owners: async () => events,
      resendable: async () => ({ events, nextFrom: null }),
    }
    return createWebhookLog({ reader, engine, log: SMALL_POOL.log }).replay({ instanceIds: ids })
  }
  let ends: Promise<Failure>[] = []
  try {
    ends = ['d', 'e'].map((id) => failureOf(called(engine, id)))
    assert.deepEqual(await replayOf('a'), { queued: 1, nextFrom: null })
    const partly = await failureOf(replayOf('a', 'f'))
    assert.deepEqual(partly.details, { reason: 'partly_done', queued: 1 })
    assert.equal(failureResponse(partly).headers.get('Retry-After'), null)
  } finally {
    await engine.close(1_000)
    await Promise.all(starts)
  }
  for (const { details } of await Promise.all(ends)) assert.equal(details?.reason, 'not_started')
})
