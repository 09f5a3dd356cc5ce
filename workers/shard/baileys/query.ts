/**
 * `query()` resolves with undefined when no answer came in time (Socket/socket.js, waitForMessage), which callers read as an empty result. And one
 * that is pending when the connection ends rejects with a bare value (17b).
 */
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import { asError } from './thread/rejections.ts'

/** `DisconnectReason.timedOut`, with which the library's own deadline rejects. */
const TIMED_OUT = 408

export function boundedQuery(sock: Pick<WASocket, 'query'>, node: BinaryNode, deadlineMs: number): Promise<BinaryNode> {
  return bounded(deadlineMs, () => sock.query(node, deadlineMs) as Promise<BinaryNode | undefined>)
}

/** For the library's functions around a query. Undefined means that no answer came: not for functions that answer nothing. */
export async function bounded<T>(deadlineMs: number, work: () => Promise<T | undefined>): Promise<T> {
  const answer = await withDeadline(deadlineMs, work)
  if (answer === undefined) throw new Failure('send_timeout')
  return answer
}

/** As `bounded`, for functions whose undefined is an answer. */
export function withDeadline<T>(deadlineMs: number, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Failure('send_timeout')), deadlineMs)
    throwingErrors(work)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}

/** The library's own deadline is `send_timeout`, and what it throws is an error. */
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
