/**
 * Undoes a move of a store: a service can start on the source again, and no longer on the copy.
 *
 * A copy that a service has used is refused, because the keys of its devices have advanced there. The copy is recorded
 * as moved before the source can be used, so a service can never start on both.
 */
import { keys } from '../record-keys.ts'
import type { OpenStore } from '../store-backend.ts'
import { isCopyOf, type Moved, movedSentence, readMark, setMark } from './marks.ts'
import { countDifferences } from './record-copy.ts'

export async function reopenStore(store: OpenStore, copy: OpenStore, moved: Moved): Promise<void> {
  // A store that is not the copy cannot show whether a service has used the copy.
  if (!(await isCopyOf(copy, moved)))
    throw new Error(
      `The store in ${copy.shown} is not the copy that the store in ${store.shown} was moved to; name that copy: ${moved.to}.`,
    )
  if ((await readMark(copy, keys.storeCopying)) === undefined) await closeCopy(store, copy, moved)
  await setMark(store, keys.storeMoved, null)
}

async function closeCopy(store: OpenStore, copy: OpenStore, { move }: Moved): Promise<void> {
  const further = await readMark(copy, keys.storeMoved)
  // An earlier run of this command that was killed has set the same record.
  if (further && further.move !== move) throw new Error(movedSentence(copy.shown, further))
  const different = await countDifferences(store, copy)
  if (different > 0)
    throw new Error(
      `The copy in ${copy.shown} has been used: ${different} of its records are different. Only the copy is up to date, so move everything back with "store copy", to a place that has nothing in it.`,
    )
  await setMark(copy, keys.storeMoved, { to: store.shown, move })
}
