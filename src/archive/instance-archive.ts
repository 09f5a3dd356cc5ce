/**
 * Writes an instance as the frames of an archive: a head, its configuration, its key, its encrypted records, its media,
 * and an end.
 */
import * as v from 'valibot'
import { ARCHIVE_KINDS, ARCHIVE_VERSION, type ArchiveHead, type ArchiveParts } from '../domain/archive.ts'
import { NotImportable } from '../domain/not-importable.ts'
import { type BlobItems, sealedBlobs } from '../storage/blobs/items.ts'
import type { StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import { readArchiveFile } from './archive-file.ts'
import { isArchived } from './families.ts'
import type { Frame } from './frames.ts'

const UNREADABLE = 'The archive has a part that cannot be read.'

const HEAD = 'head'
const CONFIG = 'config'
const RING_KEY = 'ring-key'
const RECORD = 'record:'
const BLOB = 'blob:'
const END = 'end'

const HeadSchema: v.GenericSchema<unknown, ArchiveHead> = v.object({
  v: v.number(),
  kind: v.picklist(ARCHIVE_KINDS),
  id: v.pipe(v.string(), v.uuid()),
  made: v.number(),
  release: v.string(),
})

const EndSchema = v.object({ records: v.number(), blobs: v.number() })

type Store = Pick<StateStore, 'range'>

export async function* instanceFrames(
  { head, config, ringKey }: ArchiveParts,
  store: Store,
  blobs: BlobItems,
): AsyncGenerator<Frame> {
  yield [HEAD, Buffer.from(JSON.stringify(head))]
  yield [CONFIG, config]
  yield [RING_KEY, ringKey]
  const prefix = keys.instance(head.id)
  const count = { records: 0, blobs: 0 }
  for await (const [key, value] of store.range(prefix)) {
    const name = key.slice(prefix.length)
    if (!isArchived(name, head.kind)) continue
    count.records += 1
    yield [RECORD + name, value]
  }
  // Media belong to queue items, which a backup does not contain.
  if (head.kind === 'move')
    for await (const [name, sealed] of sealedBlobs(blobs, head.id)) {
      count.blobs += 1
      yield [BLOB + name, sealed]
    }
  yield [END, Buffer.from(JSON.stringify(count))]
}

export interface ArchiveReader {
  record(name: string, value: Uint8Array): void | Promise<void>
  blob(name: string, bytes: Uint8Array): void | Promise<void>
}

/**
 * Reads an archive, and passes its records and media to `reader`. The counts are checked only at the end. So an archive
 * that may be incomplete must first be read with a reader that stores nothing. Rejects with `NotImportable`.
 */
export async function readInstanceArchive(
  file: string,
  passphrase: string,
  reader: ArchiveReader,
): Promise<ArchiveParts & { records: number; blobs: number }> {
  const found = new Map<string, Uint8Array>()
  const count = { records: 0, blobs: 0 }
  for await (const [name, bytes] of readArchiveFile(file, passphrase)) {
    if (name === HEAD) refuseNewer(bytes)
    if (name.startsWith(RECORD)) {
      count.records += 1
      await reader.record(name.slice(RECORD.length), bytes)
    } else if (name.startsWith(BLOB)) {
      count.blobs += 1
      await reader.blob(checkedName(name.slice(BLOB.length)), bytes)
    } else found.set(name, Buffer.from(bytes))
  }
  const part = (name: string) => {
    const bytes = found.get(name)
    if (bytes === undefined) throw new NotImportable([`The archive is not complete: it has no ${name}.`])
    return bytes
  }
  const end = parsed(EndSchema, part(END))
  if (end.records !== count.records || end.blobs !== count.blobs)
    throw new NotImportable([`The archive is not complete: ${count.records} of ${end.records} records are in it.`])
  return { head: parsed(HeadSchema, part(HEAD)), config: part(CONFIG), ringKey: part(RING_KEY), ...count }
}

function refuseNewer(bytes: Uint8Array): void {
  const { v: version } = parsed(v.looseObject({ v: v.number() }), bytes)
  if (version > ARCHIVE_VERSION)
    throw new NotImportable([
      `The archive was made by a newer release (version ${version}, this one reads ${ARCHIVE_VERSION}); upgrade this service first.`,
    ])
}

function parsed<T>(schema: v.GenericSchema<unknown, T>, bytes: Uint8Array): T {
  const read = v.safeParse(schema, jsonIn(bytes))
  if (read.success) return read.output
  throw new NotImportable([UNREADABLE])
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch (cause) {
    throw new NotImportable([UNREADABLE], { cause })
  }
}

function checkedName(name: string): string {
  if (/^[\w-]{1,100}$/.test(name)) return name
  throw new NotImportable([UNREADABLE])
}
