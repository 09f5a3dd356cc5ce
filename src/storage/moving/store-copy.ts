/**
 * Moves a store to another store: records, keys and media, all in encrypted form.
 *
 * Every step may be repeated, because copying makes the target equal to the source. The source is recorded as moved
 * before the copy is finished, so a service can never start on both. Then both stores are compared again, because a
 * command may have opened the source before.
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
  /** The media to copy. Null if both stores have their media in the same place. */
  media: { from: BlobItems; to: BlobItems } | null
  steps: Steps
  /** Called now and then with the number of the source's records that this comparison has reached. */
  onProgress(records: number, all: number): void
}

export interface Copied {
  records: number
  keys: number
  media: number
}

/**
 * Maximum number of comparisons after the source was marked as moved. The first one also copies late changes by a
 * command.
 */
const COMPARISONS = 4

/** Moves the store. Resolves with undefined if the store was already moved to this target. */
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

async function compareAll(options: CopyOptions): Promise<Copied> {
  for (let left = COMPARISONS; left > 0; left--) {
    const { changes, ...copied } = await copyAll(options)
    if (changes === 0) return copied
  }
  throw new Error(`The store in ${options.to.shown} does not return what is written to it; the copy is unfinished.`)
}

/**
 * Returns the id of a store, which is the same in copies of the store. It is derived from a record that is different in
 * each store and never changes.
 */
async function idOf(store: OpenStore): Promise<string | undefined> {
  const mark = await store.get(keys.keyRing)
  return mark && createHash('sha256').update(mark).digest('hex')
}

/**
 * Begins the move and resolves with its mark. Resolves with undefined if the target is already the finished copy of
 * this source.
 */
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
