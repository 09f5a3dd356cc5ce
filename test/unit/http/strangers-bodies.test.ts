/**
 * Tests that the bodies of requests without credentials (`/oauth` and the sign-in) are limited in bytes and in time.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Clock } from '../../../src/domain/clock.ts'
import type { Failure } from '../../../src/domain/failures.ts'
import { signInKeyOf } from '../../../src/http/dashboard/session.ts'
import { failureResponse } from '../../../src/http/errors.ts'
import { errorResponse } from '../../../src/http/oauth/answers.ts'
import { formOf, jsonOf } from '../../../src/http/oauth/fields.ts'

type Read = (request: Request, clock: Clock) => Promise<unknown>

const turn = () => new Promise((resolve) => setImmediate(resolve))

async function stalled(
  t: TestContext,
  read: Read,
  type: string,
  answerOf: (error: Failure) => Response | undefined = errorResponse,
) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const time = { now: 0 }
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"a":')),
    cancel() {
      isCancelled = true
    },
  })
  const init = { method: 'POST', body, headers: { 'Content-Type': type, 'Content-Length': '100' }, duplex: 'half' } as RequestInit
  let answer: Response | undefined
  void read(new Request('http://x/', init), { now: () => time.now }).catch((error: Failure) => {
    answer = answerOf(error)
  })
  for (let second = 0; second < 25; second++) {
    await turn()
    time.now += 1_000
    t.mock.timers.tick(1_000)
  }
  await turn()
  return { status: answer?.status, body: (await answer?.json()) as { error: unknown; error_description?: string }, isCancelled }
}

const refused = {
  status: 400,
  body: { error: 'invalid_request', error_description: 'The body arrived too slowly: less than 128 KB per second.' },
  isCancelled: true,
}

test('a form that stops coming is refused and let go', async (t) => {
  assert.deepEqual(await stalled(t, formOf, 'application/x-www-form-urlencoded'), refused)
})

test('so is a registration', async (t) => {
  assert.deepEqual(await stalled(t, jsonOf, 'application/json'), refused)
})

// An earlier bug: if the body of a sign-in stopped arriving, the connection stayed open until the server's limit of ten
// minutes.
test('and a sign-in to the dashboard', async (t) => {
  const { status, body, isCancelled } = await stalled(t, signInKeyOf, 'application/json', failureResponse)
  assert.deepEqual([status, (body.error as Failure).message, isCancelled], [400, refused.body.error_description, true])
})
