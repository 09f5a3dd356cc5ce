/** Reads the file of an import, and stores its device. Rejects with `NotImportable` if it cannot be imported. */
import { randomUUID } from 'node:crypto'
import { open } from 'node:fs/promises'
import { newInstanceToken } from '../../src/account/credentials.ts'
import { archiveSentence, arrivedInstance, checkArchive, stageArrival } from '../../src/archive/arrival.ts'
import { importOps } from '../../src/directory/imports.ts'
import type { FileFound, FileToRead, ImportWish } from '../../src/domain/instance-import.ts'
import type { Steps } from '../../src/domain/steps.ts'
import type { BlobItems } from '../../src/storage/blobs/items.ts'
import type { StateStore } from '../../src/storage/contract.ts'
import type { Sealer } from '../../src/storage/sealer.ts'

const NAME = 'Imported device'

/** Offset in an SQLite header of the byte with the write mode; 2 means a write-ahead log in a second file. */
const WRITE_MODE_AT = 18
const WRITES_LOG = 2
const HAS_LOG =
  'While its program runs, this database keeps the latest changes in a second file, whose name ends with -wal. If that file is still there after the program has ended, use the command `instance import`, which reads both.'

export async function readFile(file: string, wish: FileToRead): Promise<FileFound> {
  if (wish.from === 'svc') {
    const found = await checkArchive(file, wish.passphrase ?? '')
    return { identity: found.identity, id: found.head.id, report: [archiveSentence(found)] }
  }
  const { bundle, sentences } = await deviceIn(file, wish)
  return { identity: bundle.identity, id: undefined, report: [...sentences, ...((await writesLog(file)) ? [HAS_LOG] : [])] }
}

async function writesLog(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(WRITE_MODE_AT + 1), 0, WRITE_MODE_AT + 1, 0)
    return buffer.toString('latin1', 0, 15) === 'SQLite format 3' && buffer[WRITE_MODE_AT] === WRITES_LOG
  } finally {
    await file.close()
  }
}

async function deviceIn(file: string, { from, device, isOld }: FileToRead) {
  // The import is dynamic, so that exports do not load Baileys.
  const { readDevice } = await import('../portability/read-device.ts')
  return readDevice(from as Exclude<typeof from, 'svc'>, file, { isOld, device })
}

interface Target {
  store: Pick<StateStore, 'commit' | 'get' | 'range'>
  sealer: Sealer
  blobs: BlobItems
  steps: Steps
}

export async function stageFile(
  target: Target,
  file: string,
  wish: Omit<ImportWish, 'isDry'> & { workspace: string },
): Promise<string> {
  const { from, name, workspace, hasSameToken } = wish
  if (from === 'svc') {
    const passphrase = wish.passphrase ?? ''
    const found = await checkArchive(file, passphrase)
    await stageArrival(target, { file, passphrase, found, made: arrivedInstance(found, { name, hasSameToken }), workspace })
    return found.head.id
  }
  const { bundle } = await deviceIn(file, wish)
  const about = { id: randomUUID(), token: newInstanceToken(), workspace, name: name ?? NAME, from }
  await target.store.commit({ ops: importOps(target.sealer, about, bundle) })
  await target.steps('import:staged')
  return about.id
}
