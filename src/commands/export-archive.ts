/** `instance export --to svc`: an instance as an archive, which moves it as a whole, or copies its device and settings. */
import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { writeArchiveFile } from '../archive/archive-file.ts'
import { type ArchiveKind, happensOnce } from '../archive/families.ts'
import { ARCHIVE_VERSION, type InstanceParts, instanceFrames, readInstanceArchive } from '../archive/instance-archive.ts'
import type { Config } from '../config.ts'
import { VERSION } from '../domain/brand.ts'
import type { Op } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import { removeThese } from '../storage/remove-all.ts'
import { between, type FoundInstance, withInstance } from './instance-orders.ts'
import type { Stored } from './stored.ts'

export interface ArchiveWish {
  id: string
  /** File to create. */
  file: string
  passphrase: string
  kind: ArchiveKind
  isJson: boolean
}

export async function exportArchive(config: Config, wish: ArchiveWish): Promise<string> {
  const { id, kind } = wish
  const file = resolve(wish.file)
  await refuseExisting(file)
  const blobsDir = join(config.dataDir, 'blobs')
  const write = async (stored: Stored, found: FoundInstance) => {
    await writeArchiveFile(file, wish.passphrase, instanceFrames(await partsOf(stored, found, kind), stored.store, blobsDir))
    // It is read once before anything is removed here.
    return readInstanceArchive(file, wish.passphrase, { record() {}, blob() {} })
  }
  if (kind === 'backup') return withInstance(config, id, async (stored, found) => shown(wish, file, await write(stored, found)))
  return between(
    config,
    { id, before: ['move', 'pause'], afterwards: ['host'], onFailure: ['host', 'resume'] },
    async (stored, found) => {
      const written = await write(stored, found)
      await removeMoved(stored, id)
      return shown(wish, file, written)
    },
  )
}

async function refuseExisting(file: string): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  )
  if (isThere) throw new Error(`The file ${file} exists already; name another one.`)
}

async function partsOf({ store, sealer }: Stored, { id, ringKey }: FoundInstance, kind: ArchiveKind): Promise<InstanceParts> {
  const record = keys.config(id)
  const sealed = await store.get(record)
  if (sealed === undefined) throw new Error(`There is no instance ${id}.`)
  return {
    head: { v: ARCHIVE_VERSION, kind, id, made: Date.now(), release: VERSION },
    config: sealer.open(record, sealed),
    ringKey,
  }
}

/** Removes records in the archive that must happen only once: messages that are waiting to be sent, and events that are waiting to be delivered. */
async function removeMoved({ store }: Stored, id: string): Promise<void> {
  const prefix = keys.instance(id)
  const ops: Op[] = []
  for await (const [key] of store.range(prefix)) if (happensOnce(key.slice(prefix.length))) ops.push([key, null])
  await removeThese(store, ops)
}

function shown({ id, kind, isJson }: ArchiveWish, file: string, { records, blobs }: { records: number; blobs: number }): string {
  if (isJson) return `${JSON.stringify({ instance: id, kind, file, records, media: blobs })}\n`
  const counts = `${file}: ${records} records, ${blobs} media files.\n`
  if (kind === 'backup')
    return `${counts}The instance goes on here. The archive has its device and settings, but no messages to be sent or delivered.\n`
  return [
    counts,
    `Instance ${id} is stopped here with the reason moved; its messages to be sent and its events to be delivered are in the archive only.\n`,
    'Import the archive at the target: `instance import --from svc`. Delete the instance here when it is connected there; nothing is logged out by it.\n',
  ].join('')
}
