/** The pending queries of one socket. An answer has the id of its query. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { MINUTE } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { idOf } from '../wire/envelope.ts'
import { isRefusal, refusalCode, refusalText, refusedField, withId } from '../wire/refusal.ts'

/** Error of a query that the network refused. */
export class QueryRefused extends Error {
  /** The error code that the network sent. */
  readonly data: number
  /** The field that the network named as invalid; null if it named none. */
  readonly refusedField: string | null

  constructor(answer: BinaryNode) {
    super(refusalText(answer) || 'Unknown error')
    this.data = refusalCode(answer)
    this.refusedField = refusedField(answer)
  }
}

export interface Queries {
  /** Rejects with `send_timeout`, with `QueryRefused`, or with another Error if the connection has ended. */
  query(node: BinaryNode, deadlineMs?: number): Promise<BinaryNode>
  /** Called with every received stanza, which may be the answer to a pending query. */
  came(node: BinaryNode): void
  /** Rejects the pending queries. */
  end(): void
}

export interface QueriesDeps {
  send(node: BinaryNode): Promise<void>
  /** Returns a new id for a stanza. */
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
