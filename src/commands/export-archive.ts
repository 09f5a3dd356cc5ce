/**
 * `instance export --to svc`: writes an archive of an instance. The archive either moves the whole instance, or is a
 * copy of its device and settings.
 */
import { resolve } from 'node:path'
import { writeArchiveFile } from '../archive/archive-file.ts'
import { happensOnce } from '../archive/families.ts'
import { instanceFrames, readInstanceArchive } from '../archive/instance-archive.ts'
import { movedToOp } from '../archive/moved-to.ts'
import type { Config } from '../config.ts'
import { ARCHIVE_VERSION, type ArchiveKind, type ArchiveParts } from '../domain/archive.ts'
import type { BlobPlace } from '../domain/blob-place.ts'
import { VERSION } from '../domain/brand.ts'
import type { Steps } from '../domain/steps.ts'
import { createKillAt } from '../kill-at.ts'
import type { Op } from '../storage/contract.ts'
import { openBlobItems } from '../storage/open-store.ts'
import { keys } from '../storage/record-keys.ts'
import { REMOVED_AT_ONCE } from '../storage/remove-all.ts'
import { earlierTarget, exists } from './earlier-target.ts'
import { between, type FoundInstance, withInstance } from './instance-orders.ts'
import type { Stored } from './stored.ts'

export interface ArchiveWish {
  id: string
  file: string
  passphrase: string
  kind: ArchiveKind
  isJson: boolean
}

export async function exportArchive(config: Config, wish: ArchiveWish): Promise<string> {
  const task: Task = {
    wish,
    file: resolve(wish.file),
    blobs: config.blobs,
    steps: createKillAt(config.killAt),
  }
  return wish.kind === 'backup' ? backUp(config, task) : move(config, task)
}

interface Task {
  wish: ArchiveWish
  file: string
  blobs: BlobPlace
  steps: Steps
}

async function backUp(config: Config, task: Task): Promise<string> {
  await refuseExisting(task.file)
  return withInstance(config, task.wish.id, async (stored, found) => shown(task, await written(task, stored, found)))
}

async function move(config: Config, task: Task): Promise<string> {
  const { wish, file, steps } = task
  const { id } = wish
  let isThere = false
  const text = await between(
    config,
    {
      id,
      before: ['move', 'pause'],
      onFailure: ['host', 'resume'],
      async check(stored, found) {
        isThere = await isFromEarlier(task, stored, found)
      },
      async finish(stored, order) {
        // A service that was started while the archive was written runs the instance, so the instance is paused again.
        await order('pause')
        await removeMoved(stored, id, steps)
        await steps('export:removed')
      },
      afterwards: ['host'],
    },
    async (stored, found) => shown(task, isThere ? await readBack(file, wish.passphrase) : await written(task, stored, found)),
  )
  await steps('export:ended')
  return text
}

/**
 * True if an earlier run of this command has written the archive. Throws if the file exists and is not this archive.
 */
async function isFromEarlier({ wish, file }: Task, stored: Stored, found: FoundInstance): Promise<boolean> {
  const earlier = await earlierTarget(stored, found, file)
  if (!earlier) {
    await refuseExisting(file)
    return false
  }
  const { head } = await readBack(file, wish.passphrase)
  if (head.id !== found.id || head.made !== earlier.made)
    throw new Error(`The file ${file} contains an archive of another instance or of another export; name another file.`)
  return true
}

/**
 * Writes the archive. The archive is read once, to check it, before the file gets its final name and records are
 * removed at the source.
 */
async function written({ wish, file, blobs: place, steps }: Task, stored: Stored, found: FoundInstance): Promise<ArchiveSummary> {
  const { id, kind, passphrase } = wish
  const parts = await partsOf(stored, found, kind)
  const blobs = await openBlobItems(place, stored.store)
  async function* frames() {
    for await (const frame of instanceFrames(parts, stored.store, blobs)) {
      yield frame
      await steps('export:begun')
    }
  }
  let summary: ArchiveSummary | undefined
  await writeArchiveFile(file, passphrase, frames(), {
    draft: `${file}.${id}.tmp`,
    async written(draft) {
      await steps('export:written')
      summary = await readBack(draft, passphrase)
      if (kind === 'backup') return
      await stored.store.commit({ ops: [movedToOp(stored.sealer, id, { path: file, made: parts.head.made })] })
      await steps('export:recorded')
    },
  })
  await steps('export:named')
  return summary!
}

type ArchiveSummary = Awaited<ReturnType<typeof readInstanceArchive>>

const readBack = (file: string, passphrase: string) => readInstanceArchive(file, passphrase, { record() {}, blob() {} })

async function refuseExisting(file: string): Promise<void> {
  if (await exists(file)) throw new Error(`The file ${file} exists already; name another one.`)
}

async function partsOf({ store, sealer }: Stored, { id, ringKey }: FoundInstance, kind: ArchiveKind): Promise<ArchiveParts> {
  const record = keys.config(id)
  const sealed = await store.get(record)
  if (sealed === undefined) throw new Error(`There is no instance ${id}.`)
  return {
    head: { v: ARCHIVE_VERSION, kind, id, made: Date.now(), release: VERSION },
    config: sealer.open(record, sealed),
    ringKey,
  }
}

/**
 * Removes the archived records that may be used only once, such as messages that wait to be sent, and events that wait
 * to be delivered.
 */
async function removeMoved({ store }: Stored, id: string, steps: Steps): Promise<void> {
  const prefix = keys.instance(id)
  const ops: Op[] = []
  for await (const [key] of store.range(prefix)) if (happensOnce(key.slice(prefix.length))) ops.push([key, null])
  for (let from = 0; from < ops.length; from += REMOVED_AT_ONCE) {
    await store.commit({ ops: ops.slice(from, from + REMOVED_AT_ONCE) })
    await steps('export:removing')
  }
}

function shown({ wish: { id, kind, isJson }, file }: Task, { records, blobs }: ArchiveSummary): string {
  if (isJson) return `${JSON.stringify({ instance: id, kind, file, records, media: blobs })}\n`
  const counts = `${file}: ${records} records, ${blobs} media files.\n`
  if (kind === 'backup')
    return `${counts}The instance goes on here. The archive has its device and settings, but no messages to be sent or delivered.\n`
  return [
    counts,
    `Instance ${id} is stopped here with the reason moved; its messages to be sent and its events to be delivered are in the archive only.\n`,
    'Import the archive at the target: `instance import --from svc`. Delete the instance here when it is connected there; this does not log the device out.\n',
  ].join('')
}
