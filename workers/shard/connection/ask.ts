/**
 * How an operation reaches the network. One deadline for all that it asks, the end of the socket, an answer that never came, and what the
 * network's codes mean (shared/api/auth-and-limits.md, "Network result to API code") are settled here, once for every operation.
 */
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { Failure, type FailureCode } from '../../../src/domain/failures.ts'
import { withDeadline } from '../baileys/query.ts'
import { actionFailure, networkCode } from './failures.ts'
import type { Connection } from './session.ts'
import { untilEnd } from './within.ts'

export interface Ask {
  /**
   * Sends a query and resolves with the network's answer. Rejects with a `Failure`: `send_timeout` when none came in time,
   * `instance_not_connected` when the connection ended, otherwise what the network's code means for the operation.
   */
  (query: BinaryNode): Promise<BinaryNode>
  /** The same for a function of the library that asks the network and answers; undefined means that no answer came. */
  library<T>(work: (sock: WASocket) => Promise<T | undefined>): Promise<T>
  /** The same for a function of the library that only tells, and has no answer to lose. */
  tell(work: (sock: WASocket) => Promise<unknown>): Promise<void>
}

export interface AskOptions {
  /** For all that is asked together, from now on, ms. */
  deadlineMs: number
  /** What 404 means for this operation. */
  notFound: FailureCode
}

/** The network's word for a version that is not the last. */
const CONFLICT = 409

export function createAsk(session: Pick<Connection, 'sock' | 'ended'>, { deadlineMs, notFound }: AskOptions): Ask {
  const endsAt = performance.now() + deadlineMs
  const { sock } = session

  /** What was changed from elsewhere meanwhile is asked once more (auth-and-limits.md, 409). */
  async function settled<T>(work: (leftMs: number) => Promise<T>, isFirst = true): Promise<T> {
    const leftMs = endsAt - performance.now()
    if (leftMs <= 0) throw new Failure('send_timeout')
    try {
      return await untilEnd(
        session,
        withDeadline(leftMs, () => work(leftMs)),
      )
    } catch (error) {
      if (isFirst && networkCode(error) === CONFLICT) return settled(work, false)
      throw actionFailure(error, notFound)
    }
  }

  async function answered<T>(work: (leftMs: number) => Promise<T | undefined>): Promise<T> {
    const answer = await settled(work)
    if (answer === undefined) throw new Failure('send_timeout')
    return answer
  }

  return Object.assign(
    // The library writes its id into the query.
    (query: BinaryNode) =>
      answered((leftMs) => sock.query({ ...query, attrs: { ...query.attrs } }, leftMs) as Promise<BinaryNode | undefined>),
    {
      library: <T>(work: (sock: WASocket) => Promise<T | undefined>) => answered(() => work(sock)),
      tell: async (work: (sock: WASocket) => Promise<unknown>) => void (await settled(() => work(sock))),
    },
  )
}
