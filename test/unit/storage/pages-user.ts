/**
 * A program that reads the whole store and writes to it. It runs as a separate process, because a damaged file may
 * crash it.
 */
import { openStore } from '../../../src/storage/open-store.ts'

const store = await openStore(`lmdb:${process.argv[2]}`)
let records = 0
for await (const [, value] of store.range('')) records += value.byteLength >= 0 ? 1 : 0
for (let round = 0; round < 20; round++)
  await store.commit({
    ops: [
      ...Array.from({ length: 20 }, (_, index) => [`zz:${index}`, Buffer.alloc(100 + round * 400)] as const),
      [`a:${round}`, null],
    ],
  })
await store.close()
process.stdout.write(String(records))
