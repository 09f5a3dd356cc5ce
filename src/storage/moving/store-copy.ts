/**
 * Moves everything of a store to another store: records, keys and media, all in encrypted form. The caller owns both stores, so no service uses them
 * during the move.
 *
 * The target has the mark of an unfinished copy until the copy is complete. Every step may be repeated: copying makes the target equal to the source,
 * even if a killed copy has left data there. The source is marked as moved before the copy is finished: at no time could a service start on both. A
 * command that had opened the source before it was marked may still have changed it. So both stores are compared once more after the mark, and
 * differences are copied.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { Steps } from '../../domain/steps.ts'
import type { BlobItems } from '../blobs/items.ts'
import { keys } from '../record-keys.ts'
import { isEmpty } from '../secret-key.ts'
import type { OpenStore } from '../store-backend.ts'
import { copyKeys } from './key-copy.ts'
import { type Copying, finishCopy, isCopyOf, movedSentence, readMark, setMark } from './marks.ts'
import { copyMedia } from './media-copy.ts'
import { copyRecords } from './record-copy.ts'

export interface CopyOptions {
  from: OpenStore
  to: OpenStore
  /** Media of both stores; null if both have them in the same place. */
  media: { from: BlobItems; to: BlobItems } | null
  steps: Steps
  /** Called from time to time with the number of records that were compared so far, and the number of all records. */
  onProgress(records: number, all: number): void
}

export interface Copied {
  records: number
  keys: number
  media: number
}

/** The most comparisons of both stores. The first comparison copies late changes by a command, if there are any. */
const COMPARISONS = 4

/** Resolves with the numbers of copied records, keys and media; undefined if the store was already moved to this target. */
export async function copyStore(options: CopyOptions): Promise<Copied | undefined> {
  const { from, to, steps } = options
  const source = await idOf(from)
  const copying = (await readMark(to, keys.storeCopying)) ?? (await begin(options, source))
  if (copying === undefined) return undefined
  if (copying.source !== source)
    throw new Error(
      `The store in ${to.shown} is an unfinished copy of another store (${copying.from}); remove it, or name another.`,
    )
  const moved = await readMark(from, keys.storeMoved)
  if (moved && moved.move !== copying.move) throw new Error(movedSentence(from.shown, moved))
  await steps('copy:begun')
  await copyAll(options)
  await steps('copy:copied')
  await setMark(from, keys.storeMoved, { to: to.shown, move: copying.move })
  await steps('copy:moved')
  const copied = await compareAll(options)
  await finishCopy(to, { move: copying.move })
  await steps('copy:ended')
  return copied
}

/** Compares both stores and copies the differences, until there are none. */
async function compareAll(options: CopyOptions): Promise<Copied> {
  for (let left = COMPARISONS; left > 0; left--) {
    const { changes, ...copied } = await copyAll(options)
    if (changes === 0) return copied
  }
  throw new Error(`The store in ${options.to.shown} does not return what is written to it; the copy is unfinished.`)
}

/**
 * Returns the id of a store, which is the same in its copies. It is derived from the record by which the keys of the store are checked: that record
 * is different in each store and never changes.
 */
async function idOf(store: OpenStore): Promise<string | undefined> {
  const mark = await store.get(keys.keyRing)
  return mark && createHash('sha256').update(mark).digest('hex')
}

/** Marks an empty target. Undefined if the target is the finished copy of a source that was moved. */
async function begin({ from, to, media }: CopyOptions, source: string | undefined): Promise<Copying | undefined> {
  const moved = await readMark(from, keys.storeMoved)
  if (moved && (await isCopyOf(to, moved))) return undefined
  if (moved) throw new Error(movedSentence(from.shown, moved))
  if (source === undefined) throw new Error(`The store in ${from.shown} is empty; there is nothing to copy.`)
  const found =
    (!(await isEmpty(to)) && 'records') ||
    (to.keyTable.where !== from.keyTable.where && (await to.keyTable.names()).length > 0 && `keys (${to.keyTable.where})`) ||
    (media !== null && (await media.to.getKeys('')).length > 0 && 'media')
  if (found) throw new Error(`The store in ${to.shown} has ${found} already; name a store that has nothing in it.`)
  const copying = { from: from.shown, source, move: randomUUID() }
  await setMark(to, keys.storeCopying, copying)
  return copying
}

/** Makes the target equal to the source. */
async function copyAll({ from, to, media, steps, onProgress }: CopyOptions): Promise<Copied & { changes: number }> {
  const all = await from.count('')
  const { records, changes } = await copyRecords(from, to, (looked) => {
    onProgress(looked, all)
    return steps('copy:records')
  })
  const ofKeys = await copyKeys(from.keyTable, to.keyTable, () => steps('copy:key'))
  const ofMedia = media ? await copyMedia(media.from, media.to, () => steps('copy:medium')) : NOTHING
  return { records, keys: ofKeys.keys, media: ofMedia.media, changes: changes + ofKeys.changes + ofMedia.changes }
}

const NOTHING = { media: 0, changes: 0 }
