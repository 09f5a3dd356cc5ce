/**
 * Writes the row that shows a service to the others. A database whose disk is full refuses it, but still serves the
 * other queries, so the service goes on without the row.
 */
import { codeOf, type Link, type Question } from '../link.ts'

/** The connection ends, or the server ends. Neither says anything about the row. */
const ENDING = /^(57P|08)/
/**
 * The server has chosen this statement to end a deadlock or a conflict. The next attempt may succeed.
 */
const UNDONE = /^40/
/** The writer of the row was removed at the same time. The next look of the service finds that out. */
const WRITER_GONE = '23503'

/** Whether the server has answered that it does not store the row. */
export const isRefusal = (error: unknown): boolean => {
  const code = codeOf(error)
  return code !== undefined && code !== WRITER_GONE && !ENDING.test(code) && !UNDONE.test(code)
}

export interface RowWriter {
  /** Resolves also if the server refuses the row. */
  write(link: Pick<Link, 'ask'>, question: Question, silenceMs: number): Promise<void>
  /** Notes the outcome of a statement that also writes the row: the refusal, or undefined if it was stored. */
  note(refusal: unknown): void
}

/** `onRefused` is called at a refusal that follows no other one. */
export function createRowWriter(onRefused: (cause: unknown) => void): RowWriter {
  let isRefused = false
  function note(refusal: unknown) {
    const isNew = refusal !== undefined && !isRefused
    isRefused = refusal !== undefined
    if (isNew) onRefused(refusal)
  }
  return {
    note,
    async write(link, question, silenceMs) {
      try {
        await link.ask(question, silenceMs)
        note(undefined)
      } catch (error) {
        const code = codeOf(error)
        if (code === undefined || ENDING.test(code)) throw error
        if (isRefusal(error)) note(error)
      }
    },
  }
}
