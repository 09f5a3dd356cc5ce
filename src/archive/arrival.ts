/**
 * Imports an archive. The file is read twice: first as a whole, so that a damaged file changes nothing, and then while
 * its records are staged for the service.
 */
import { newInstanceToken } from '../account/credentials.ts'
import { stageArchive } from '../directory/imports.ts'
import { identityIn, linkedAs } from '../directory/linked.ts'
import { archivedRecord } from '../directory/record.ts'
import type { ArchiveParts } from '../domain/archive.ts'
import { Failure } from '../domain/failures.ts'
import { NotImportable } from '../domain/not-importable.ts'
import type { Steps } from '../domain/steps.ts'
import { type BlobItems, putSealedBlob } from '../storage/blobs/items.ts'
import type { StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import { createSealer, type Sealer } from '../storage/sealer.ts'
import { stagedOwner } from '../storage/staged-blobs.ts'
import { readInstanceArchive } from './instance-archive.ts'

/** Name of the record with the credentials. It is written last. */
const CREDS = 'creds'

export interface ArrivedArchive extends ArchiveParts {
  records: number
  blobs: number
  creds: Uint8Array
  identity: string
  name: string
  token: string
}

/**
 * Reads an archive to its end. Rejects with `NotImportable` for a file that is no complete archive, or that has no
 * device.
 */
export async function checkArchive(file: string, passphrase: string): Promise<ArrivedArchive> {
  let creds: Uint8Array | undefined
  const parts = await readInstanceArchive(file, passphrase, {
    record(name, value) {
      if (name === CREDS) creds = Buffer.from(value)
    },
    blob() {},
  })
  if (creds === undefined) throw new NotImportable(['The archive has no credentials, so its instance cannot be connected.'])
  return { ...parts, creds, ...insideOf(parts, creds) }
}

function insideOf({ head, config, ringKey }: ArchiveParts, creds: Uint8Array) {
  try {
    const { name, token } = archivedRecord(Buffer.from(config).toString())
    return { name, token, identity: identityIn(createSealer(ringKey).open(keys.creds(head.id), creds)) }
  } catch (cause) {
    throw new NotImportable(['The archive has a part that cannot be read.'], { cause })
  }
}

export const archiveSentence = ({ head, records, blobs }: ArrivedArchive): string =>
  `The archive has ${records} records and ${blobs} media files, as of ${new Date(head.made).toISOString()}.`

export interface ArrivedInstance {
  name: string
  token: string
  isNewToken: boolean
}

/**
 * Returns the name and the token of the imported instance. Other people may have read a backup, so an instance from a
 * backup keeps its token only if the operator wants this.
 */
export function arrivedInstance(
  { head, name, token }: ArrivedArchive,
  wish: { name: string | undefined; hasSameToken: boolean },
): ArrivedInstance {
  const isNewToken = head.kind === 'backup' && !wish.hasSameToken
  return { name: wish.name ?? name, token: isNewToken ? newInstanceToken() : token, isNewToken }
}

export interface Arrival {
  file: string
  passphrase: string
  found: ArrivedArchive
  made: Pick<ArrivedInstance, 'name' | 'token'>
  workspace: string
}

interface Target {
  store: Pick<StateStore, 'commit' | 'get' | 'range'>
  sealer: Sealer
  blobs: BlobItems
  steps: Steps
}

export async function stageArrival({ store, sealer, blobs, steps }: Target, arrival: Arrival): Promise<void> {
  const { file, passphrase, found, made, workspace } = arrival
  const { head, ringKey, identity, creds } = found
  if ((await store.get(keys.import(head.id))) !== undefined) throw new Failure('already_linked', { message: linkedAs(head.id) })
  // Another service may be staging an archive of this instance now, so this staging removes nothing at its beginning.
  // If both stage the same archive, both write the same records.
  const staged = stageArchive(store, sealer, head)
  await readInstanceArchive(file, passphrase, {
    async record(name, value) {
      if (name === CREDS) return
      await staged.add(name, value)
      await steps('import:staging')
    },
    blob: (name, bytes) => putSealedBlob(blobs, `${stagedOwner(head.id)}:${name}`, bytes),
  })
  const archive = { config: Buffer.from(found.config).toString(), ringKey: Buffer.from(ringKey).toString('base64') }
  const { name, token } = made
  // Another service may have staged an archive of the same instance since this import was checked.
  const guard = { key: keys.import(head.id), equals: null }
  const ops = await staged.ops({ workspace, name, token, from: 'svc', identity, archive }, creds)
  if (!(await store.commit({ guard, ops }))) throw new Failure('already_linked', { message: linkedAs(head.id) })
  await steps('import:staged')
}
