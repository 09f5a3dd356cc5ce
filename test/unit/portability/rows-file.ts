import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { type ProgramName, readDevice } from '../../../workers/portability/read-device.ts'
import { credsFrom } from '../../../workers/shard/keys/signal/codec.ts'
import { printedRows, type Stored } from '../../harness/other-stores.ts'

export function rowsFolder() {
  const folder = { dir: '' }
  before(async () => {
    folder.dir = await mkdtemp(join(tmpdir(), 'svc-rows-'))
  })
  after(() => rm(folder.dir, { recursive: true, force: true }))
  return {
    get dir() {
      return folder.dir
    },
    async rowsFile(stored: Stored): Promise<string> {
      const file = join(folder.dir, 'rows.jsonl')
      await writeFile(file, printedRows(stored))
      return file
    },
  }
}

export async function readTaken(from: ProgramName, path: string, device?: string) {
  const read = await readDevice(from, path, { isOld: false, device })
  const ids = (type: string) => read.bundle.keys.flatMap(([each, id]) => (each === type ? [id] : [])).sort()
  return { ...read, ids, taken: credsFrom(read.bundle.creds) }
}
