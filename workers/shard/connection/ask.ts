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

export interface Limits {
  atMostMs: number
}

export interface Ask {
  /**
   * Sends a query, and resolves with the answer. Rejects with `send_timeout`, `instance_not_connected`, or the meaning
   * of the network's code. The query is sent once more after a conflict (409). Pass a function if the second attempt
   * needs a new query, or if the query contains its own id.
   */
  (query: Query, limits?: Limits): Promise<BinaryNode>
  /** Resolves with the operation's field of the answer, which may be null. Rejects like the query above. */
  mex(name: MexName, variables: Json): Promise<unknown>
  run<T>(work: () => Promise<T>, limits?: Limits): Promise<T>
  write(stanza: BinaryNode): Promise<void>
  meaning(meanings: Meanings): Ask
}

export interface AskOptions {
  /** Deadline in ms, either for all queries together (`totalMs`) or for each query (`eachMs`). */
  deadline: { totalMs: number } | { eachMs: number }
  toFailure: ToFailure
  meanings?: Meanings
}

export interface AskDeps extends Ending {
  owner: string
  sock: Pick<NetworkSocket, 'query' | 'sendNode' | 'generateMessageTag'>
  mex: Mex
}

/** The network's code for a conflict: the change is based on an old version, because another change came first. */
const CONFLICT = 409

export function createAsk(deps: AskDeps, { deadline, toFailure, meanings = {} }: AskOptions): Ask {
  const { owner, sock } = deps
  const endsAt = performance.now() + ('totalMs' in deadline ? deadline.totalMs : 0)
  const left = (limits: Limits | undefined): number =>
    'totalMs' in deadline
      ? Math.min(endsAt - performance.now(), limits?.atMostMs ?? deadline.totalMs)
      : (limits?.atMostMs ?? deadline.eachMs)

  const asking = (own: Meanings): Ask => {
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
