/**
 * Asks the network by GraphQL (`wire/mex.ts` has the operations). When it does not know a number, older ones are tried in their order, and
 * the one that is answered is the first to be tried from then on, for as long as the connection lasts.
 */
import type { WASocket } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import { boundedQuery } from '../baileys/query.ts'
import { type Json, textOf } from '../wire/json.ts'
import { type MexAnswer, type MexName, mexAnswer, mexForms, mexQuery } from '../wire/mex.ts'

/** Numbers from the configuration, tried before those of the table. */
export type MexIds = Partial<Readonly<Record<MexName, string>>>

/**
 * Resolves with the operation's field of the answer, which may be null; rejects as a refused query does (`networkCode` of `failures.ts` returns the
 * code), and with `send_timeout` when all tries together take longer than `deadlineMs`.
 */
export type Mex = (name: MexName, variables: Json, deadlineMs: number) => Promise<unknown>

/** Not a `Failure`, which would be final: the operation decides the meaning of a code. */
class MexRefusal extends Error {
  /** The error, as the network wrote it; `networkCode` looks for the code in it. */
  readonly data: Json
  constructor(name: MexName, data: Json) {
    super(`${name}: ${textOf(data.message) ?? 'refused'}`)
    this.data = data
  }
}

export function createMex(sock: Pick<WASocket, 'query'>, ids: MexIds): Mex {
  /** The form of each operation that was answered last. */
  const known = new Map<MexName, number>()

  return async (name, variables, deadlineMs) => {
    const endsAt = performance.now() + deadlineMs
    const forms = mexForms(name, variables, ids[name])
    const first = known.get(name) ?? 0
    let answer: MexAnswer = { kind: 'empty' }
    for (const [index, form] of forms.entries()) {
      if (index < first) continue
      answer = mexAnswer(await boundedQuery(sock, mexQuery(form), Math.max(1, endsAt - performance.now())), form.field)
      if (answer.kind === 'unknown') continue
      known.set(name, index)
      break
    }
    if (answer.kind === 'data') return answer.value
    if (answer.kind === 'empty') throw new Failure('action_failed', { message: `The network's answer to ${name} is empty.` })
    throw new MexRefusal(name, answer.error)
  }
}
