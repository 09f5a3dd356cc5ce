import type { Link } from '../link.ts'
import { SILENCE } from './schema-lock.ts'

export type Ask = (text: string, values?: unknown[]) => Promise<unknown[][]>

/**
 * Returns a function that carries out a statement and resolves with its rows. The connection is dropped if an answer
 * takes longer than the milliseconds that `silenceMs` returns when the statement is sent.
 */
export const askOf =
  (link: Link, silenceMs = () => SILENCE): Ask =>
  async (text, values) =>
    (await link.ask({ text, ...(values && { values }) }, silenceMs())).rows
