/**
 * Gives operations and other callers access to the network. For all callers, this file handles the deadline, the end of the socket, a missing answer,
 * and the meanings of the network's codes.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import { runAs } from '../baileys/thread/rejections.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import type { Json } from '../wire/json.ts'
import type { MexName } from '../wire/mex.ts'
import { type Meanings, networkCode, type ToFailure } from './failures.ts'
import type { Mex } from './mex.ts'
import { type Ending, untilEnd, within } from './within.ts'

export type Query = BinaryNode | ((tag: string) => BinaryNode | Promise<BinaryNode>)

/** Limits for one query, in addition to the deadline of the operation. */
export interface Limits {
  atMostMs: number
}

export interface Ask {
  /**
   * Sends a query and resolves with the network's answer. Rejects with a `Failure`: `send_timeout` if no answer arrived in time,
   * `instance_not_connected` if the connection ended, otherwise the meaning of the network's code. A query that must contain its own id is passed as
   * a function that receives the id (`tag`). A query that depends on the present state is passed as a function that reads this state: the function is
   * called again when the query is repeated after a conflict.
   */
  (query: Query, limits?: Limits): Promise<BinaryNode>
  /**
   * Sends a GraphQL query, with the same limits and failures. Resolves with the operation's field of the answer, which may be null. The operations
   * are rows of `wire/mex.ts`.
   */
  mex(name: MexName, variables: Json): Promise<unknown>
  /** Runs a function that queries the network, with the same limits and failures. After a conflict, the function is run again. */
  run<T>(work: () => Promise<T>, limits?: Limits): Promise<T>
  /** Writes a stanza that has no answer, or whose answer is awaited elsewhere. */
  write(stanza: BinaryNode): Promise<void>
  /** Returns the same access with other meanings of the network's codes. */
  meaning(meanings: Meanings): Ask
}

export interface AskOptions {
  /** Deadline in ms, either for all queries together (`totalMs`) or for each query (`eachMs`). */
  deadline: { totalMs: number } | { eachMs: number }
  toFailure: ToFailure
  meanings?: Meanings
}

export interface AskDeps extends Ending {
  /** Id of the instance. Unhandled errors of the library are reported with it. */
  owner: string
  sock: Pick<NetworkSocket, 'query' | 'sendNode' | 'generateMessageTag'>
  mex: Mex
}

/** The network's code for a conflict: the change is based on an old version, because another change came first. */
const CONFLICT = 409

export function createAsk(deps: AskDeps, { deadline, toFailure, meanings = {} }: AskOptions): Ask {
  const { owner, sock } = deps
  const endsAt = performance.now() + ('totalMs' in deadline ? deadline.totalMs : 0)
  /** Returns the time in ms that is left for a query. If the deadline is one per query, `limits` may replace it. */
  const left = (limits: Limits | undefined): number =>
    'totalMs' in deadline
      ? Math.min(endsAt - performance.now(), limits?.atMostMs ?? deadline.totalMs)
      : (limits?.atMostMs ?? deadline.eachMs)

  const asking = (own: Meanings): Ask => {
    /** Runs `work`, and repeats it once if the network answers with a conflict. */
    async function settled<T>(work: (leftMs: number) => Promise<T>, limits?: Limits, isFirst = true): Promise<T> {
      const leftMs = left(limits)
      if (leftMs <= 0) throw new Failure('send_timeout')
      try {
        return await work(leftMs)
      } catch (error) {
        if (isFirst && networkCode(error) === CONFLICT) return settled(work, limits, false)
        throw toFailure(error, own)
      }
    }

    const run = <T>(work: (leftMs: number) => Promise<T>, limits?: Limits): Promise<T> =>
      settled(
        (leftMs) =>
          within(
            deps,
            leftMs,
            runAs(owner, async () => work(leftMs)),
          ),
        limits,
      )

    const query = (asked: Query, limits?: Limits) =>
      run(async (leftMs) => {
        const made = typeof asked === 'function' ? await asked(sock.generateMessageTag()) : asked
        return sock.query(made, leftMs)
      }, limits)

    return Object.assign(query, {
      mex: (name: MexName, variables: Json) => settled((leftMs) => untilEnd(deps, deps.mex(name, variables, leftMs))),
      run: <T>(work: () => Promise<T>, limits?: Limits) => run(work, limits),
      write: (stanza: BinaryNode) => run(() => sock.sendNode(stanza)),
      meaning: (more: Meanings) => asking({ ...own, ...more }),
    })
  }
  return asking(meanings)
}
