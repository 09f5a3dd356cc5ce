/**
 * Records that mark a store as moved, as an unfinished copy, or as a finished copy. No service starts on a moved store
 * or an unfinished copy, because two services would use the same linked device. A service reads these
 * records before it opens its keys, so they are not encrypted.
 */
import type { StateStore } from '../contract.ts'
import { keys } from '../record-keys.ts'
import type { OpenParts } from '../store-backend.ts'

export interface Moved {
  to: string
  move: string
}

export interface Copying {
  from: string
  source: string
  move: string
}

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

export async function finishCopy(store: Store, copied: FinishedCopy): Promise<void> {
  await store.commit({
    ops: [
      [keys.storeCopying, null],
      [keys.storeCopied, Buffer.from(JSON.stringify(copied))],
    ],
  })
}

export async function isCopyOf(store: Pick<Store, 'get'>, { move }: Moved): Promise<boolean> {
  const mark = (await readMark(store, keys.storeCopying)) ?? (await readMark(store, keys.storeCopied))
  return mark?.move === move
}

type Named = Pick<StateStore, 'get'> & Pick<OpenParts, 'shown'>

/** Throws a sentence for the operator if the store was moved, or is an unfinished copy. */
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
