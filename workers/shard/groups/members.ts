/** Adds the members of groups to the directory, with the number and the LID of each. */
import { isLidUser, isPnUser } from '@whiskeysockets/baileys'
import { createTurns } from '../../../src/lib/turns.ts'
import type { LidPair } from '../connection/identity.ts'
import type { AccountDirectory } from '../directory/account-directory.ts'
import { type Group, namesOf } from '../wire/groups.ts'

const PAIRS = 150
/**
 * Minimum number of people that are written together, except for the last ones. With a larger number, the records of
 * the directory are rewritten less often.
 */
const PEOPLE = 3_000

export interface MembersDeps {
  directory: Pick<AccountDirectory, 'ready' | 'met'>
  learnPairs(pairs: LidPair[]): Promise<void>
  /** Aborted when the session ends, because the directory may then belong to another account. */
  ended: AbortSignal
}

/**
 * Adds the members of these groups to the directory. Each person is stored once, however many of the groups the person
 * is in.
 */
export type TakeMembers = (groups: readonly Group[]) => Promise<void>

export const pairsOf = (people: readonly (readonly string[])[]): LidPair[] =>
  people.flatMap((names) => {
    const pn = names.find((name) => isPnUser(name))
    const lid = names.find((name) => isLidUser(name))
    return pn && lid ? [{ pn, lid }] : []
  })

export const takeMembers =
  ({ directory, learnPairs, ended }: MembersDeps): TakeMembers =>
  async (groups) => {
    await directory.ready()
    const turn = createTurns()
    const seen = new Set<string>()
    let taken: string[][] = []
    const take = async () => {
      const people = taken
      taken = []
      const pairs = pairsOf(people)
      for (let from = 0; from < pairs.length && !ended.aborted; from += PAIRS) {
        await learnPairs(pairs.slice(from, from + PAIRS))
        await turn()
      }
      if (!ended.aborted) await directory.met(people)
    }
    for (const { participants } of groups) {
      if (ended.aborted) return
      for (const participant of participants) {
        const names = namesOf(participant)
        if (names[0] === undefined || seen.has(names[0])) continue
        seen.add(names[0])
        taken.push([...new Set(names)])
      }
      if (taken.length >= PEOPLE) await take()
      await turn()
    }
    if (taken.length > 0) await take()
  }
