/**
 * Writes the row that shows a service to the others. A database whose disk is full refuses it, but still serves the
 * other queries, so the service goes on without the row.
 */
import { codeOf } from '../error-codes.ts'
import type { Link, Question } from '../link.ts'

/**
 * Matches the error codes of a refused row: the disk of the database or its memory is full, or the role may not write
 * the table.
 */
const REFUSED = /^(53[012]|42501)/
/**
 * Matches error codes of conflicts: a deadlock, or the writer of the row was removed at the same time. The next look of
 * the service finds out what is true.
 */
const PASSING = /^(40|23503)/

/**
 * True if the server refuses the row, but still serves other queries. False for a read-only server, because another
 * server may be the primary one.
 */
export const isRefusal = (error: unknown): boolean => REFUSED.test(codeOf(error) ?? '')

export interface RowWriter {
  /**
   * Writes the row of this service. Resolves also if the server refuses it (disk full, missing right), because the
   * service can go on without the row.
   */
  write(link: Pick<Link, 'ask'>, question: Question, silenceMs: number): Promise<void>
  /** Notes the outcome of a statement that also writes the row: the refusal, or undefined if it was stored. */
  note(refusal: unknown): void
}

/** Creates the writer of the row. `onRefused` is called at the first of several successive refusals. */
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
        if (isRefusal(error)) note(error)
        else if (!PASSING.test(codeOf(error) ?? '')) throw error
      }
    },
  }
}
