/**
 * Sends GraphQL queries. If the network does not know the number of an operation, older numbers are tried in order.
 * Later queries begin with the number that worked.
 */
import { Failure } from '../../../src/domain/failures.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import { type Json, textOf } from '../wire/json.ts'
import { type MexAnswer, type MexName, mexAnswer, mexForms, mexQuery } from '../wire/mex.ts'

export type MexIds = Partial<Readonly<Record<MexName, string>>>

/**
 * Resolves with the operation's field of the answer, which may be null. Rejects like a refused query, and with
 * `send_timeout` if all tries together take longer than `deadlineMs`.
 */
export type Mex = (name: MexName, variables: Json, deadlineMs: number) => Promise<unknown>

/** A refusal of a GraphQL query. It is not a `Failure`, because each operation decides the meaning of the code. */
class MexRefusal extends Error {
  readonly data: Json
  constructor(name: MexName, data: Json) {
    super(`${name}: ${textOf(data.message) ?? 'refused'}`)
    this.data = data
  }
}

export function createMex(sock: Pick<NetworkSocket, 'query'>, ids: MexIds): Mex {
  const known = new Map<MexName, number>()

  return async (name, variables, deadlineMs) => {
    const endsAt = performance.now() + deadlineMs
    const forms = mexForms(name, variables, ids[name])
    const first = known.get(name) ?? 0
    let answer: MexAnswer = { kind: 'empty' }
    for (const [index, form] of forms.entries()) {
      if (index < first) continue
      answer = mexAnswer(await sock.query(mexQuery(form), Math.max(1, endsAt - performance.now())), form.field)
      if (answer.kind === 'unknown') continue
      known.set(name, index)
      break
    }
    if (answer.kind === 'data') return answer.value
    if (answer.kind === 'empty') throw new Failure('action_failed', { message: `The network's answer to ${name} is empty.` })
    throw new MexRefusal(name, answer.error)
  }
}
