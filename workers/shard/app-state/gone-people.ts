/**
 * Finds people who are stored as saved on the phone but no longer are. An address book is written before its version (`app-state.ts`), so a kill
 * during the first reading leaves people without a version. The collection is then read in full again, and no answer names people whom the phone has
 * removed in the meantime. So each stored person who is not among the current actions is removed.
 */
import { type AppStateAction, contactRemovals, factsOf, type PersonNames } from '../wire/app-state-actions.ts'
import { bare } from '../wire/jid.ts'

/** Returns an action for each name of the people to remove. `standing`: all actions of the collection. */
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
