/**
 * Finds people who are stored here, but whom the phone has removed from its address book. The people of the address book are written before its
 * version (`app-state.ts`), so if the process is killed between the two, the next start reads the whole collection again. The answer lists the people
 * who exist now, and does not mention removed ones. So each stored person who is not in the answer must be removed.
 */
import { type AppStateAction, contactRemovals, factsOf, type PersonNames } from '../wire/app-state-actions.ts'
import { bare } from '../wire/jid.ts'

/**
 * Returns the actions that remove the stored people (`kept`) who are not in the collection, one for each of their JIDs. `standing`: all actions of
 * the collection.
 */
export function removalsOf(kept: readonly PersonNames[], standing: readonly AppStateAction[]): AppStateAction[] {
  if (kept.length === 0) return []
  const listed = new Set(standing.flatMap(namesOf))
  const isListed = (jid: string | null) => jid !== null && listed.has(jid)
  return kept.filter(({ pn, lid }) => !isListed(pn) && !isListed(lid)).flatMap(contactRemovals)
}

function namesOf(action: AppStateAction): string[] {
  const { id, phoneNumber, lid } = factsOf(action).contact ?? {}
  return [id, phoneNumber, lid].flatMap((jid) => (jid ? [bare(jid)] : []))
}
