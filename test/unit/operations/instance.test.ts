/**
 * Tests that the effect of a queued request (such as a restart) depends on the state of the instance when the request
 * runs, and not when it arrived.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CREATED, type RuntimeState } from '../../../src/domain/instance.ts'
import { FRESH_RUN, type LifecycleEvent } from '../../../workers/shard/lifecycle/contract.ts'
import { next } from '../../../workers/shard/lifecycle/table.ts'
import { instance, moving } from '../../../workers/shard/operations/instance.ts'
import type { ControlContext } from '../../../workers/shard/operations/types.ts'

type Request = Extract<LifecycleEvent['type'], `${string}Requested`>

const CHANCE = { now: 0, random: 0, isTakenOver: false }
const PAUSED: RuntimeState = { ...CREATED, status: 'stopped', reason: 'paused', paired: true }
const MOVED: RuntimeState = { ...PAUSED, reason: 'moved' }
const CONNECTED: RuntimeState = { ...PAUSED, status: 'connected', reason: null }

/** Creates the context of an instance. The requests in `ahead` run before the first request of the test. */
function control(state: RuntimeState, ...ahead: Request[]): ControlContext {
  let at = { state, run: FRESH_RUN }
  const take = (type: Request) => {
    at = next(at, { type }, CHANCE)?.next ?? at
    return at.state
  }
  const context: Pick<ControlContext, 'state' | 'request'> = {
    get state() {
      return at.state
    },
    async request(type, isWanted = () => true) {
      for (const each of ahead.splice(0)) take(each)
      return isWanted() ? take(type) : at.state
    },
  }
  return context as ControlContext
}

test('a device that was moved while a resume waited is not started', async () => {
  const context = control(PAUSED, 'moveRequested')
  await assert.rejects(instance['instance.resume'](context, {}), { code: 'not_allowed' })
  assert.equal(context.state.reason, 'moved')
})

test('a resume starts a paused instance, and changes nothing if the session runs', async () => {
  assert.deepEqual(await instance['instance.resume'](control(PAUSED), {}), { value: true, status: 'connecting' })
  assert.deepEqual(await instance['instance.resume'](control(CONNECTED), {}), { value: true, status: 'connected' })
  await assert.rejects(instance['instance.resume'](control({ ...PAUSED, reason: 'bad_session' }), {}), { code: 'not_allowed' })
})

test('a move that was called off twice does not end a pause that came between', async () => {
  const context = control(MOVED, 'resumeRequested', 'pauseRequested')
  await moving['instance.callOffMove'](context)
  assert.equal(context.state.reason, 'paused')
})

test('a pause is refused if a logout was ahead of it, or if there is no session to close', async () => {
  const pause = (state: RuntimeState, ...ahead: Request[]) => instance['instance.pause'](control(state, ...ahead), {})
  const refused = (message: RegExp) => ({ code: 'not_allowed', message })
  await assert.rejects(pause(CONNECTED, 'disconnectRequested'), refused(/is not linked/))
  await assert.rejects(pause(MOVED), refused(/was moved/))
  await assert.rejects(pause({ ...PAUSED, status: 'banned', reason: 'temporarily_banned' }), refused(/is banned/))
  await assert.rejects(pause({ ...PAUSED, reason: 'bad_session' }), refused(/is not running \(bad_session\)/))
  for (const state of [CONNECTED, PAUSED]) assert.deepEqual(await pause(state), { value: true, status: 'stopped' })
})
