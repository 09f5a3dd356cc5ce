import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpoints } from '../../../src/features/index.ts'
import { createUnknownPath } from '../../../src/http/unknown-path.ts'

const unknownPath = createUnknownPath(endpoints)
const told = (method: string, path: string) => {
  const { code, message } = unknownPath(method, path)
  return [code, message]
}
const INSTANCE = `/instances/5f0b3c1e-7a0d-4c58-9a55-0e6a1f7c2b90/token/${'a'.repeat(48)}`
const NOTHING = ['not_found', 'No such route exists.']

test('a path that takes other methods is told by them', () => {
  assert.deepEqual(told('GET', `${INSTANCE}/send-text`), ['not_found', 'This path accepts POST, not GET.'])
  assert.deepEqual(told('POST', `${INSTANCE}/webhooks`), ['not_found', 'This path accepts PUT, not POST.'])
  assert.deepEqual(told('PATCH', `${INSTANCE}/queue`), ['not_found', 'This path accepts DELETE, GET, not PATCH.'])
})

// Two routes with the method GET match this path: its own route and `/groups/{group_id}`. The answer must name GET only
// once.
test('each method is told once', () => {
  assert.equal(told('POST', `${INSTANCE}/groups/invitation`)[1], 'This path accepts GET, not POST.')
})

test('a path without its credentials is unauthorized, and only where it is a route with them', () => {
  for (const path of ['/instances//token/x/send-text', '/instances/x/token//send-text', '/instances//token//send-text'])
    assert.equal(told('POST', path)[0], 'unauthorized', path)
  assert.deepEqual(told('POST', '/instances//token/x/send-nothing'), NOTHING)
})

test('what is no route, or not for everybody, is not told', () => {
  for (const path of ['/nothing', `${INSTANCE}/send-nothing`, `${INSTANCE}/`, '/metrics', '/instance'])
    assert.deepEqual(told('PUT', path), NOTHING, path)
})

// A dialect is a setting of an instance. The paths of these calls name no instance, so the service recognizes the calls
// by their path alone.
test('calls of partners of another gateway are told what to use', () => {
  assert.match(told('POST', '/instances/integrator/on-demand')[1]!, /^Use POST \/account\/instances/)
  assert.match(told('GET', '/instances')[1]!, /^Use GET \/account\/instances/)
  assert.match(told('PUT', '/instances')[1]!, /^Use PUT \/instances\/\{instance_id\}\/token\/\{token\}\/update-name /)
})
