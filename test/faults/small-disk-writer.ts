/** A process that writes to a store while the disk fills up. It prints each key whose value is on disk. */
import { writeSync } from 'node:fs'
import { StorageFailure } from '../../src/domain/storage-failure.ts'
import { openStore } from '../../src/storage/open-store.ts'

const WRITERS = 4

const [dir = '', prefix = '', count = '0'] = process.argv.slice(2)
const store = await openStore(`lmdb:${dir}`)
const say = (line: string) => writeSync(1, `${line}\n`)

async function writer(number: number) {
  for (let index = 0; index < Number(count); index++) {
    const key = `${prefix}:${number}:${index}`
    try {
      // The values have 100 to about 20,000 bytes: from a part of a page to five pages.
      await store.commit({ ops: [[key, Buffer.alloc(100 + ((index * 7_919) % 20_000), key)]] })
      say(`kept ${key}`)
    } catch (error) {
      if (!(error instanceof StorageFailure)) throw error
      say(`refused ${key}`)
    }
  }
}
await Promise.all(Array.from({ length: WRITERS }, (_, number) => writer(number)))
await store.close()
