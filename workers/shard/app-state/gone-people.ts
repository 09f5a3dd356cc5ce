/**
 * Finds stored people whom the phone has removed from its address book. A collection that is read in full does not
 * mention removed people, so the stored people are compared with it.
 */
import { type AppStateAction, contactRemovals, factsOf, type PersonNames } from '../wire/app-state-actions.ts'
import { bare } from '../wire/jid.ts'

/**
 * Returns the removals of stored people (`kept`) who are not in `standing`, the list of all actions of the collection.
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
