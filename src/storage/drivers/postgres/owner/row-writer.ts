/**
 * Writes the row that shows a service to the others. A database whose disk is full refuses it, but still serves the
 * other queries, so the service goes on without the row.
 */
import { codeOf, type Link, type Question } from '../link.ts'

/** The connection ends, or the server ends. Neither says anything about the row. */
const ENDING = /^(57P|08)/
/** The server has undone the statement for another one, and takes it the next time. */
const UNDONE = /^40/

/** Whether the server has answered that it does not store the row. */
export const isRefusal = (error: unknown): boolean => {
  const code = codeOf(error)
  return code !== undefined && !ENDING.test(code)
}

/** `onRefused` is called at the first of several refusals in a row. The returned function rejects with all other errors. */
export function createRowWriter(onRefused: (cause: unknown) => void) {
  let isRefused = false
  return async (link: Pick<Link, 'ask'>, question: Question, silenceMs: number): Promise<void> => {
    try {
      await link.ask(question, silenceMs)
      isRefused = false
    } catch (error) {
      if (!isRefusal(error)) throw error
      if (isRefused || UNDONE.test(codeOf(error)!)) return
      isRefused = true
      onRefused(error)
    }
  }
}
