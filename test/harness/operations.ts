/**
 * Calls operations of the API by their ids. Each answer is checked against the operation's schema, and each refusal
 * against the error codes that the operation declares.
 */
import assert from 'node:assert/strict'
import type { z } from 'zod'
import { INSTANCE_BASE } from '../../src/features/endpoint.ts'
import { endpoints } from '../../src/features/index.ts'
import type { Json, Stage } from './stage.ts'

export interface Answer {
  status: number
  body: Json
}

export interface Operations {
  ask(operation: string, input: Json): Promise<Answer>
  must(operation: string, input: Json): Promise<Json>
  /** Makes a call that must be refused, and returns its error code. */
  refused(operation: string, input: Json): Promise<string>
}

export const codeOf = ({ body }: Answer): string => (body.error as { code: string } | undefined)?.code ?? ''
export const detailsOf = ({ body }: Answer): Json => (body.error as { details: Json }).details

export function operationsOf({ world, instance }: Pick<Stage, 'world' | 'instance'>): Operations {
  async function ask(operation: string, input: Json): Promise<Answer> {
    const endpoint = endpoints.find(({ id }) => id === operation)
    assert.ok(endpoint, operation)
    const rest: Json = { ...input }
    let path = endpoint.path.replace(INSTANCE_BASE, '')
    path = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(rest[name])
      delete rest[name]
      return encodeURIComponent(value)
    })
    const inQuery = endpoint.method === 'GET' || endpoint.method === 'DELETE'
    if (inQuery && Object.keys(rest).length > 0) path += `?${new URLSearchParams(rest as Record<string, string>)}`
    const answer = (await world.gateway.ask(instance, endpoint.method, path, inQuery ? undefined : rest)) as Answer
    if (answer.status < 300) assert.deepEqual((endpoint.reply as z.ZodType).parse(answer.body), answer.body, operation)
    else
      assert.ok(endpoint.errors.includes(codeOf(answer) as never), `${operation} does not declare ${JSON.stringify(answer.body)}`)
    return answer
  }

  return {
    ask,
    async must(operation, input) {
      const { status, body } = await ask(operation, input)
      assert.equal(status, 200, `${operation}: ${JSON.stringify(body)}`)
      return body
    },
    async refused(operation, input) {
      const answer = await ask(operation, input)
      assert.ok(answer.status >= 400, `${operation}: ${JSON.stringify(answer.body)}`)
      return codeOf(answer)
    },
  }
}
