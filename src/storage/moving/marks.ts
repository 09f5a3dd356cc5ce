/**
 * Marks of a store that `store copy` moves. They are records without encryption, because a service reads them before it has any key. A service does
 * not start on a store that was moved, because two services would then use the same linked device. It also does not start on an unfinished copy.
 */
import type { StateStore } from '../contract.ts'
import { keys } from '../record-keys.ts'
import type { OpenParts } from '../store-backend.ts'

/** Mark of a store that was moved. */
export interface Moved {
  /** Name of the copy, for messages to the operator. */
  to: string
  /** Id of the move. The mark of the copy has the same id. */
  move: string
}

/** Mark of an unfinished copy. */
export interface Copying {
  /** Name of the source, for messages to the operator. The next field is the id of the source (`store-copy.ts`). */
  from: string
  source: string
  move: string
}

/** Mark of a finished copy. It shows that this store is the copy of a move, and not, for example, a backup of the source. */
export interface FinishedCopy {
  move: string
}

interface Marks {
  [keys.storeMoved]: Moved
  [keys.storeCopying]: Copying
  [keys.storeCopied]: FinishedCopy
}

type Store = Pick<StateStore, 'get' | 'commit'>

export async function readMark<K extends keyof Marks>(store: Pick<Store, 'get'>, key: K): Promise<Marks[K] | undefined> {
  const found = await store.get(key)
  return found && (JSON.parse(Buffer.from(found).toString()) as Marks[K])
}

export async function setMark<K extends keyof Marks>(store: Store, key: K, mark: Marks[K] | null): Promise<void> {
  await store.commit({ ops: [[key, mark && Buffer.from(JSON.stringify(mark))]] })
}

/** Replaces the mark of the unfinished copy by that of the finished one, in one commit. */
export async function finishCopy(store: Store, copied: FinishedCopy): Promise<void> {
  await store.commit({
    ops: [
      [keys.storeCopying, null],
      [keys.storeCopied, Buffer.from(JSON.stringify(copied))],
    ],
  })
}

/** Whether a store is the copy, finished or not, of this move. */
export async function isCopyOf(store: Pick<Store, 'get'>, { move }: Moved): Promise<boolean> {
  const mark = (await readMark(store, keys.storeCopying)) ?? (await readMark(store, keys.storeCopied))
  return mark?.move === move
}

type Named = Pick<StateStore, 'get'> & Pick<OpenParts, 'shown'>

/** Throws a sentence for the operator if the store must not be used: it was moved, or is an unfinished copy. */
export async function refuseMarked(store: Named): Promise<void> {
  const copying = await readMark(store, keys.storeCopying)
  if (copying)
    throw new Error(
      `The store in ${store.shown} is an unfinished copy of the store in ${copying.from}; run the same "store copy" again to finish it, or remove the copy.`,
    )
  const moved = await readMark(store, keys.storeMoved)
  if (moved) throw new Error(movedSentence(store.shown, moved))
}

export const movedSentence = (shown: string, { to }: Moved) =>
  `The store in ${shown} was moved to ${to}; start the service there (SVC_STORE_URL), or undo the move with the operator command "store reopen --copy <url>" if nothing has used the copy yet.`
