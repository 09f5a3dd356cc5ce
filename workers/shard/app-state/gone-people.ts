/**
 * People who are kept as saved on the phone and are not any more. An address book is written ahead of its version (`app-state.ts`), so a kill in the
 * middle of the first reading leaves people without one. The collection is read whole again then, and whom the phone has taken off meanwhile no answer
 * names: who is kept, and is not among the actions that stand, is removed.
 */
import { type AppStateAction, contactRemovals, factsOf, type PersonNames } from '../wire/app-state-actions.ts'
import { bare } from '../wire/jid.ts'

/** `standing`: all of the collection. Returns an action for each name of those who are gone. */
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
