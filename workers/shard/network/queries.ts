import type { BinaryNode } from '@whiskeysockets/baileys'
import { MINUTE } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { idOf } from '../wire/envelope.ts'
import { isRefusal, refusalCode, refusalText, refusedField, withId } from '../wire/refusal.ts'

export class QueryRefused extends Error {
  readonly data: number
  /** The field that the network refused. Null if the network named no field. */
  readonly refusedField: string | null

  constructor(answer: BinaryNode) {
    super(refusalText(answer) || 'Unknown error')
    this.data = refusalCode(answer)
    this.refusedField = refusedField(answer)
  }
}

export interface Queries {
  /**
   * Sends a query, and resolves with the answer. Rejects with `send_timeout`, with `QueryRefused`, like `send`, or with
   * another Error if the connection has ended.
   */
  query(node: BinaryNode, deadlineMs?: number): Promise<BinaryNode>
  came(node: BinaryNode): void
  end(): void
}

export interface QueriesDeps {
  send(node: BinaryNode): Promise<void>
  tag(): string
}

/** Time limit in ms of a query whose caller gives none. */
const LONGEST = MINUTE

interface Waiting {
  settle(answer: BinaryNode): void
  fail(error: Error): void
}

export function createQueries({ send, tag }: QueriesDeps): Queries {
  const waiting = new Map<string, Waiting>()

  return {
    query(node, deadlineMs = LONGEST) {
      const { id, query } = withId(node, tag)
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => fail(new Failure('send_timeout')), deadlineMs)
        function over() {
          clearTimeout(timer)
          waiting.delete(id)
        }
        function fail(error: Error) {
          over()
          reject(error)
        }
        function settle(answer: BinaryNode) {
          over()
          if (isRefusal(answer)) reject(new QueryRefused(answer))
          else resolve(answer)
        }
        waiting.set(id, { settle, fail })
        send(query).catch(fail)
      })
    },
    came(node) {
      waiting.get(idOf(node))?.settle(node)
    },
    end() {
      for (const { fail } of [...waiting.values()]) fail(new Error('Connection Closed'))
    },
  }
}
