/** Sends a query about many people in batches, and builds the result for each person. */
import { SECOND } from '../../../../src/domain/clock.ts'
import { renderIdentifier, type UserIdentifier } from '../../../../src/domain/ids.ts'
import { networkCodeOf } from '../../connection/failures.ts'
import { pause } from '../../connection/within.ts'
import type { Outcome } from '../../wire/groups.ts'
import type { ActionContext } from '../types.ts'

/** Maximum number of people per query. There is a pause between two queries. */
const BATCH = 20
const BATCH_PAUSE = SECOND
const NOT_THERE = 404
const DONE = 200

export interface Listed {
  id: string
  /** Every jid that the answer may use for the person, without a device part. */
  names: readonly string[]
}

export type Answer = Pick<Outcome, 'code' | 'invitation'>

const unnamed: Answer = { code: NOT_THERE, invitation: null }

export const answerOf = (outcomes: readonly Outcome[], { names }: Listed): Answer =>
  outcomes.find((outcome) => outcome.names.some((name) => names.includes(name))) ?? unnamed

/**
 * Sends the query in batches, and returns the answer for each person. If a later batch is refused, its people get this
 * refusal as their result, because the earlier batches were applied.
 */
export async function inBatches<L extends Listed>(
  { session }: Pick<ActionContext, 'session'>,
  people: readonly L[],
  ask: (batch: readonly L[]) => Promise<Outcome[]>,
): Promise<Map<string, Answer>> {
  const asked = [...new Map(people.map((one) => [one.id, one])).values()]
  const answers = new Map<string, Answer>()
  for (let from = 0; from < asked.length; from += BATCH) {
    const batch = asked.slice(from, from + BATCH)
    if (from > 0) await pause(session, BATCH_PAUSE)
    try {
      const outcomes = await ask(batch)
      for (const one of batch) answers.set(one.id, answerOf(outcomes, one))
    } catch (error) {
      const code = networkCodeOf(error)
      if (from === 0 || code === null) throw error
      for (const { id } of batch) answers.set(id, { code, invitation: null })
    }
  }
  return answers
}

/** `found`: the person for each phone, in the same order; undefined if nobody was found. */
export function resultsOf(
  phones: readonly UserIdentifier[],
  found: readonly (Listed | undefined)[],
  answers: ReadonlyMap<string, Answer>,
  invited: ReadonlySet<string> = new Set(),
) {
  const participants = phones.map((phone, at) => {
    const id = found[at]?.id ?? ''
    const { code } = answers.get(id) ?? unnamed
    return { phone: renderIdentifier(phone), success: code === DONE, code, invited: invited.has(id) }
  })
  return { value: participants.every(({ success }) => success), participants }
}
