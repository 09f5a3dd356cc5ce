/**
 * Deadlines for queries. `query()` resolves with undefined when no answer arrived in time (Socket/socket.js, waitForMessage), which callers would
 * read as an empty result. A query that is pending when the connection ends rejects with a value that is not an Error.
 */
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import { asError } from './thread/rejections.ts'

/** `DisconnectReason.timedOut`, with which the library's own deadline rejects. */
const TIMED_OUT = 408

export function boundedQuery(sock: Pick<WASocket, 'query'>, node: BinaryNode, deadlineMs: number): Promise<BinaryNode> {
  return bounded(deadlineMs, () => sock.query(node, deadlineMs) as Promise<BinaryNode | undefined>)
}

/**
 * Runs `work`, a function of the library that sends a query, with a deadline. An undefined result means that no answer arrived, so functions that
 * return nothing must use `withDeadline`.
 */
export async function bounded<T>(deadlineMs: number, work: () => Promise<T | undefined>): Promise<T> {
  const answer = await withDeadline(deadlineMs, work)
  if (answer === undefined) throw new Failure('send_timeout')
  return answer
}

/** Runs a function with a deadline, for functions whose undefined result is an answer. */
export function withDeadline<T>(deadlineMs: number, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Failure('send_timeout')), deadlineMs)
    throwingErrors(work)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}

/** Converts rejections: the library's own deadline becomes `send_timeout`, and other thrown values become Errors. */
export async function throwingErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    throw isTimeout(thrown) ? new Failure('send_timeout', { cause: thrown }) : asError(thrown)
  }
}

const isTimeout = (thrown: unknown) =>
  thrown instanceof Error &&
  thrown.message === 'Timed Out' &&
  (thrown as { output?: { statusCode?: number } }).output?.statusCode === TIMED_OUT
