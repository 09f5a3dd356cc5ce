import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  type BlobItems,
  copyBlobs,
  measureBlobs,
  ownersOfBlobs,
  putSealedBlob,
  removeOwner,
  STAGED,
  sealedBlobs,
} from '../../src/storage/blobs/items.ts'
import { PIECE, sealedBytes } from '../../src/storage/blobs/pieces.ts'
import { openBlobs } from '../../src/storage/blobs.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { createSealer } from '../../src/storage/sealer.ts'
import { MOUNTS, type Mount } from './blob-mounts.ts'

const sealer = createSealer(new Uint8Array(32).fill(7))
const budgetBytes = 100_000_000
const ONE = '7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c11'
const OTHER = '7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c12'
const keyOf = (name: string) => keys.blob(ONE, name)

for (const { name, skip, start } of MOUNTS)
  describe(`media in ${name}`, { skip }, () => {
    let mount: Mount
    let items: BlobItems
    let dir: string
    before(async () => {
      mount = await start()
      dir = await mkdtemp(join(tmpdir(), 'svc-copies-'))
    })
    beforeEach(async () => {
      items = mount.open()
      for (const owner of await ownersOfBlobs(items)) await removeOwner(items, owner)
    })
    after(async () => {
      await mount?.stop()
      await rm(dir, { recursive: true })
    })

    test('are sealed, within one budget that threads share', async () => {
      const bytes = Buffer.alloc(1_000, 'm')
      const counter = new BigInt64Array(new SharedArrayBuffer(8))
      const one = (await openBlobs(items, { budgetBytes: 2_500, counter })).of(sealer)
      const two = (await openBlobs(mount.open(), { budgetBytes: 2_500, counter })).of(sealer)
      assert.equal(await one.put(keyOf('1'), bytes), true)
      assert.equal(await two.put(keyOf('2'), bytes), true)
      assert.equal(await one.put(keyOf('3'), bytes), false)
      assert.deepEqual((await one.list(keys.blobs(ONE))).toSorted(), [keyOf('1'), keyOf('2')])
      assert.deepEqual(Buffer.from((await two.get(keyOf('1')))!), bytes)
      for await (const [, sealed] of sealedBlobs(items, ONE)) assert.equal(Buffer.from(sealed).includes('mmmm'), false)
      assert.equal(one.used(), await measureBlobs(items))
      await two.remove(keyOf('1'))
      await two.remove(keyOf('1'))
      assert.equal(await one.put(keyOf('3'), bytes), true)
      assert.deepEqual(
        [await one.get(keyOf('1')), await one.has(keyOf('1')), await one.has(keyOf('3'))],
        [undefined, false, true],
      )
      const again = (await openBlobs(mount.open(), { budgetBytes: 10_000 })).of(sealer)
      assert.equal(again.used(), one.used())
      await assert.rejects(again.put('a/b', bytes), /A key of the store is printable/)
    })

    test('of several pieces are read whole and in parts', async () => {
      const blobs = (await openBlobs(items, { budgetBytes })).of(sealer)
      const bytes = randomBytes(2 * PIECE + 12_345)
      assert.equal(await blobs.put(keyOf('1'), bytes), true)
      assert.equal(blobs.used(), await measureBlobs(items))
      assert.deepEqual(Buffer.from((await blobs.get(keyOf('1')))!), bytes)
      for (const [offset, size] of [
        [0, bytes.length],
        [0, 1],
        [PIECE - 6, 20],
        [PIECE, PIECE],
        [bytes.length - 1, 1],
      ] as const) {
        await blobs.copyTo(keyOf('1'), join(dir, 'part'), { offset, size })
        assert.deepEqual(await readFile(join(dir, 'part')), bytes.subarray(offset, offset + size))
      }
      await blobs.copyTo(keyOf('1'), join(dir, 'made'), { offset: 5, size: 1_500_000 }, async function* (pieces) {
        for await (const piece of pieces) yield Buffer.from(piece).fill(7)
      })
      assert.deepEqual(await readFile(join(dir, 'made')), Buffer.alloc(1_500_000, 7))
      await assert.rejects(blobs.copyTo(keyOf('2'), join(dir, 'part'), { offset: 0, size: 1 }), /are no longer stored/)
    })

    test('without content are there, too', async () => {
      const blobs = (await openBlobs(items, { budgetBytes })).of(sealer)
      assert.equal(await blobs.put(keyOf('1'), new Uint8Array()), true)
      assert.equal((await blobs.get(keyOf('1')))!.byteLength, 0)
      await blobs.remove(keyOf('1'))
      assert.equal(await blobs.has(keyOf('1')), false)
    })

    test('that were cut, changed or put together anew do not open', async () => {
      const blobs = (await openBlobs(items, { budgetBytes })).of(sealer)
      await blobs.put(keyOf('1'), randomBytes(2 * PIECE + 12_345))
      const [first, second, third] = await pieces('1')
      const changed = Buffer.from(second!)
      changed[500]! ^= 1
      for (const wrong of [
        [first, second],
        [first, second, third!.subarray(0, -10)],
        [second, first, third],
        [first, changed, third],
      ]) {
        await blobs.remove(keyOf('1'))
        await putSealedBlob(items, keyOf('1'), Buffer.concat(wrong as Uint8Array[]))
        await assert.rejects(blobs.get(keyOf('1')), /cannot be opened/)
      }
    })

    async function pieces(name: string): Promise<Uint8Array[]> {
      const stored = (await items.getKeys(keyOf(name))).toSorted()
      return Promise.all(stored.map(async (each) => (await items.getItemRaw<Uint8Array>(each))!))
    }

    test('that have lost their first piece are found, too, so that nothing stays for good', async () => {
      const blobs = (await openBlobs(items, { budgetBytes })).of(sealer)
      for (const removeLeft of [
        async () => {
          for (const key of await blobs.list(keys.blobs(ONE))) await blobs.remove(key)
        },
        async () => {
          for (const owner of await ownersOfBlobs(items)) await removeOwner(items, owner)
        },
      ]) {
        await blobs.put(keyOf('1'), randomBytes(PIECE + 1))
        const [first] = (await items.getKeys(keyOf('1'))).toSorted()
        await items.removeItem(first!)
        await removeLeft()
        assert.deepEqual(await items.getKeys(''), [])
      }
    })

    // A file of 100 MB that is read at once would need 100 to 200 MB of additional memory.
    test('are read one piece after another, as fast as their reader takes them', async () => {
      const blobs = (await openBlobs(counting(items), { budgetBytes })).of(sealer)
      await blobs.put(keyOf('1'), Buffer.alloc(12 * PIECE, 5))
      let taken = 0
      let most = 0
      const size = 12 * PIECE
      await blobs.copyTo(keyOf('1'), join(dir, 'large'), { offset: 0, size }, async function* (parts) {
        for await (const part of parts) {
          most = Math.max(most, read - taken)
          taken += 1
          yield part
        }
      })
      assert.deepEqual([taken, read, most], [12, 12, 1])
      assert.ok(longest <= PIECE + 100, `a piece of ${longest} bytes`)
    })

    let read = 0
    let longest = 0
    const counting = (counted: BlobItems): BlobItems => ({
      ...counted,
      getItemRaw: ((each: string) => {
        read += 1
        return counted.getItemRaw(each)
      }) as BlobItems['getItemRaw'],
      setItemRaw(each, value) {
        longest = Math.max(longest, (value as Uint8Array).byteLength)
        return counted.setItemRaw(each, value)
      },
    })

    test('of an instance are copied and removed without those of others', async () => {
      const all = await openBlobs(items, { budgetBytes })
      const blobs = all.of(sealer)
      const bytes = randomBytes(PIECE + 1)
      await blobs.put(keyOf('1'), bytes)
      await blobs.put(keys.blob(OTHER, '1'), bytes)
      for await (const [each, sealed] of sealedBlobs(items, ONE)) await putSealedBlob(items, `${STAGED}${ONE}:${each}`, sealed)
      assert.equal(await measureBlobs(items), blobs.used(), 'staged media do not count')
      await all.erase(ONE)
      assert.equal(await blobs.has(keyOf('1')), false)
      assert.equal(await copyBlobs(items, STAGED + ONE, ONE), sealedBytes(bytes.length))
      assert.equal(await copyBlobs(items, STAGED + ONE, ONE), 0, 'a second time')
      assert.deepEqual(Buffer.from((await blobs.get(keyOf('1')))!), bytes)
      assert.deepEqual((await ownersOfBlobs(items)).size, 3)
      await removeOwner(items, STAGED + ONE)
      assert.deepEqual([...(await ownersOfBlobs(items))].toSorted(), [ONE, OTHER])
    })
  })
