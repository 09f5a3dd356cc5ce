/**
 * Sends requests that are answered at once, without the queue. `good` checks the answer against the schema of the
 * operation. A test can choose the answers of the simulated network.
 */
import assert from 'node:assert/strict'
import { endpoints } from '../../src/features/index.ts'
import type { Json, Stage } from './stage.ts'

export interface Refused {
  status: number
  code: string
  details: Json
}

export function createAsking(stage: () => Stage) {
  const ask = (method: string, path: string, body?: unknown) => stage().world.gateway.ask(stage().instance, method, path, body)

  return {
    /** Sends a request whose answer must be 200 and have exactly the fields of the operation's schema. */
    async good(id: string, method: string, path: string, body?: unknown): Promise<Json> {
      const { status, body: answer } = await ask(method, path, body)
      assert.equal(status, 200, JSON.stringify(answer))
      const { reply } = endpoints.find((each) => each.id === id)!
      assert.deepEqual(reply.parse(answer), answer)
      return answer
    },
    async refused(method: string, path: string, body?: unknown): Promise<Refused> {
      const { status, body: answer } = await ask(method, path, body)
      const { code, details } = (answer.error ?? {}) as { code: string; details: Json }
      return { status, code, details }
    },
    /**
     * Makes the network answer the next matching query of the account with this action. If `more` has no `times`, the
     * network does so for every matching query until `asUsual` is called.
     */
    instead: (match: Json, action: unknown, more: Json = { times: 1 }) =>
      stage().world.sandbox.post('/answers', { match, do: action, ...more }),
    asUsual: () => fetch(`${stage().world.sandbox.url}/answers`, { method: 'DELETE' }),
  }
}
