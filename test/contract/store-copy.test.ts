/**
 * Tests the copy of a store from lmdb to PostgreSQL or back. The copy must be equal byte by byte, also after a kill at
 * one of its steps. It must contain the changes that were made in the source during the copy.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { withStore } from '../../src/commands/stored.ts'
import { readConfig } from '../../src/config.ts'
import type { Step } from '../../src/domain/steps.ts'
import { PIECE } from '../../src/storage/blobs/pieces.ts'
import { openBlobs } from '../../src/storage/blobs.ts'
import { checkSecretKey, openKeyRing } from '../../src/storage/key-ring.ts'
import { readMark, refuseMarked } from '../../src/storage/moving/marks.ts'
import { copyRecords } from '../../src/storage/moving/record-copy.ts'
import { reopenStore } from '../../src/storage/moving/reopen-store.ts'
import { type Copied, copyStore } from '../../src/storage/moving/store-copy.ts'
import { type OpenStore, openBlobItems, openStore } from '../../src/storage/open-store.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { openSealedKeys } from '../../src/storage/sealed-keys.ts'
import { createSealer } from '../../src/storage/sealer.ts'
import { amount } from '../harness/amount.ts'
import { type Cluster, noPostgres, startCluster } from '../harness/postgres.ts'

const SECRET = new Uint8Array(32).fill(1)
const NEXT_SECRET = new Uint8Array(32).fill(2)
const INSTANCES = ['7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c11', 'ffffffff-9c0f-4a43-9a5e-0a7b8f6f2c12'] as const
const STEPS: readonly Step[] = [
  'copy:begun',
  'copy:records',
  'copy:key',
  'copy:medium',
  'copy:copied',
  'copy:moved',
  'copy:ended',
]

/** A store, and the folder of its media. The folder is null if the media are in the store itself. */
interface Place {
  store: OpenStore
  blobsDir: string | null
}

const mediaOf = ({ store, blobsDir }: Place) =>
  openBlobItems(blobsDir === null ? { in: 'store' } : { in: 'files', dir: blobsDir }, store)

describe('a store is copied', { skip: noPostgres }, () => {
  let dir: string
  let cluster: Cluster
  const open: OpenStore[] = []
  let made = 0
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-copy-'))
    cluster = await startCluster()
  })
  after(async () => {
    for (const store of open) await store.close()
    await cluster?.stop()
    await rm(dir, { recursive: true })
  })

  const KINDS = {
    async lmdb(): Promise<Place> {
      const folder = join(dir, `data-${made++}`)
      return { store: await opened(`lmdb:${join(folder, 'state')}`), blobsDir: join(folder, 'blobs') }
    },
    async postgres(): Promise<Place> {
      return { store: await opened(cluster.url(`copy_${made++}`)), blobsDir: null }
    },
  }
  async function opened(url: string): Promise<OpenStore> {
    const store = await openStore(url)
    open.push(store)
    return store
  }

  async function fill(place: Place): Promise<void> {
    const { store } = place
    await checkSecretKey(store, SECRET)
    const ring = await openKeyRing(store, SECRET)
    for (const instance of INSTANCES) await ring.make(instance)
    // This is the state after an interrupted rotation of the secret: one key is sealed with both secrets, and another
    // only with the new secret.
    const sealed = openSealedKeys(store.keyTable, SECRET)
    await sealed.sealAlso(INSTANCES[0], NEXT_SECRET)
    await sealed.sealAlso('main', NEXT_SECRET)
    await openSealedKeys(store.keyTable, NEXT_SECRET).clearOther('main')
    const names = Array.from({ length: 600 }, (_, index) => keys.outboxEvent(INSTANCES[index % 2]!, String(index)))
    await store.commit({
      ops: [...names, 'workspace:a:self', 'zz', '!'].map((name, index) => [name, randomBytes(index % 50)] as const),
    })
    const all = await openBlobs(await mediaOf(place), { budgetBytes: 100 * PIECE })
    const blobs = all.of(createSealer(ring.of(INSTANCES[1])))
    for (const [index, bytes] of [0, 1_000, PIECE + 5].entries())
      await blobs.put(keys.blob(INSTANCES[1], String(index)), randomBytes(bytes))
  }

  async function contentOf(place: Place): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    const note = (name: string, bytes: Uint8Array | undefined) =>
      found.set(name, bytes === undefined ? 'none' : createHash('sha256').update(bytes).digest('hex'))
    for await (const [key, value] of place.store.range('')) if (!key.startsWith('meta:') || key === keys.keyRing) note(key, value)
    for (const [name, places] of await place.store.keyTable.all())
      for (const [index, each] of places.entries()) note(`key ${name} ${index}`, each)
    const media = await mediaOf(place)
    for (const name of await media.getKeys('')) note(`media ${name}`, (await media.getItemRaw<Uint8Array>(name))!)
    return found
  }

  async function copy(from: Place, to: Place, stopAt?: Step): Promise<Copied | undefined> {
    return copyStore({
      from: from.store,
      to: to.store,
      media: { from: await mediaOf(from), to: await mediaOf(to) },
      steps(step) {
        if (step === stopAt) throw new Error(`stopped at ${step}`)
      },
      onProgress: () => {},
    })
  }

  for (const [from, to] of [
    ['lmdb', 'postgres'],
    ['postgres', 'lmdb'],
  ] as const)
    describe(`from ${from} to ${to}`, () => {
      let source: Place
      before(async () => {
        source = await KINDS[from]()
        await fill(source)
      })

      for (const step of amount(STEPS, from === 'lmdb' ? STEPS : (['copy:medium', 'copy:ended'] as const)))
        test(`after a stop at ${step}`, async () => {
          // A kill leaves the mark that the source was moved. The next round uses the same source, so the mark is
          // removed here.
          await source.store.commit({ ops: [[keys.storeMoved, null]] })
          const target = await KINDS[to]()
          await assert.rejects(copy(source, target, step), { message: `stopped at ${step}` })
          const isMoved = step === 'copy:moved' || step === 'copy:ended'
          if (isMoved) await assert.rejects(refuseMarked(source.store), /was moved to .*store reopen/)
          else {
            // The source is not marked yet, so the service may use it until the copy is run again.
            await refuseMarked(source.store)
            const media = await mediaOf(source)
            const gone = [...(await media.getKeys(''))].sort().at(-1)!
            if (step === 'copy:medium')
              for (const name of await media.getKeys(gone.slice(0, gone.lastIndexOf(':')))) await media.removeItem(name)
            await source.store.commit({
              ops: [
                [keys.outboxEvent(INSTANCES[0], '0'), null],
                [keys.outboxEvent(INSTANCES[0], '2'), randomBytes(9)],
                [`new:${step.replace('copy:', '')}`, randomBytes(9)],
              ],
            })
          }
          if (step !== 'copy:ended')
            await assert.rejects(refuseMarked(target.store), /is an unfinished copy of .*again to finish it/)
          const content = await contentOf(source)
          const copied = await copy(source, target)
          assert.deepEqual(await contentOf(target), content)
          await refuseMarked(target.store)
          await assert.rejects(refuseMarked(source.store), /was moved to/)
          if (step === 'copy:ended') assert.equal(copied, undefined, 'there was nothing left to do')
          else assert.deepEqual([copied?.keys, copied?.records], [4, await records(content)])
        })

      const records = async (content: Map<string, string>) =>
        [...content.keys()].filter((name) => !/^(key|media) /.test(name)).length
    })

  test('and back: the files of keys and media are the same, byte by byte', async () => {
    const [here, there, back] = [await KINDS.lmdb(), await KINDS.postgres(), await KINDS.lmdb()]
    await fill(here)
    await copy(here, there)
    await copy(there, back)
    assert.deepEqual(await contentOf(back), await contentOf(here))
    for (const folder of [({ store }: Place) => join(store.dir!, 'keys'), ({ blobsDir }: Place) => blobsDir!])
      assert.deepEqual(await filesOf(folder(back)), await filesOf(folder(here)))
  })

  test('only to one place, which has nothing in it', async () => {
    const [source, target, other] = [await KINDS.lmdb(), await KINDS.postgres(), await KINDS.postgres()]
    await assert.rejects(copy(source, target), /is empty; there is nothing to copy/)
    await fill(source)
    await fill(other)
    await assert.rejects(copy(source, other), /has records already; name a store that has nothing in it/)
    await assert.rejects(copy(source, target, 'copy:moved'), /stopped/)
    await assert.rejects(copy(other, target), /is an unfinished copy of another store/)
    await assert.rejects(copy(source, await KINDS.postgres()), /was moved to .*copy_/)
    await copy(source, target)
    await assert.rejects(copy(source, await KINDS.postgres()), /was moved to .*copy_/)
  })

  test('a move is undone only if nothing has used the copy, and then no service starts on the copy', async () => {
    const [source, target, other] = [await KINDS.lmdb(), await KINDS.postgres(), await KINDS.postgres()]
    await fill(source)
    await fill(other)
    await copy(source, target)
    const moved = (await readMark(source.store, keys.storeMoved))!
    const reopen = (to: Place) => reopenStore(source.store, to.store, moved)
    await assert.rejects(reopen(other), /is not the copy that the store in/)
    await target.store.commit({ ops: [['later', randomBytes(3)]] })
    await assert.rejects(reopen(target), /has been used: 1 of its records are different/)
    await assert.rejects(refuseMarked(source.store), /was moved to/)
    await refuseMarked(target.store)
    await target.store.commit({ ops: [['later', null]] })
    await reopen(target)
    await refuseMarked(source.store)
    await assert.rejects(refuseMarked(target.store), /was moved to .*state; start the service there/)
    // This is the state after a killed run of the undo (`reopenStore`): the copy was already marked as moved, but the
    // mark of the source was not removed yet. The next run completes the undo.
    await source.store.commit({ ops: [[keys.storeMoved, Buffer.from(JSON.stringify(moved))]] })
    await reopen(target)
    await refuseMarked(source.store)
  })

  test('a move is not undone with an earlier unfinished copy, or with a backup', async () => {
    const [source, first, second, backup] = [
      await KINDS.lmdb(),
      await KINDS.postgres(),
      await KINDS.postgres(),
      await KINDS.postgres(),
    ]
    await fill(source)
    await assert.rejects(copy(source, first, 'copy:copied'), /stopped/)
    await copyRecords(source.store, backup.store, () => {})
    await copy(source, second)
    const moved = (await readMark(source.store, keys.storeMoved))!
    for (const wrong of [first, backup])
      await assert.rejects(
        reopenStore(source.store, wrong.store, moved),
        /is not the copy that the store in .* was moved to; name that copy: .*copy_/,
      )
    await assert.rejects(copy(source, backup), /was moved to .*copy_/)
    await assert.rejects(refuseMarked(source.store), /was moved to/)
    await reopenStore(source.store, second.store, moved)
    await refuseMarked(source.store)
  })

  test('an unfinished copy is given up, and none that was moved further', async () => {
    const [source, target, last] = [await KINDS.lmdb(), await KINDS.postgres(), await KINDS.lmdb()]
    await fill(source)
    await assert.rejects(copy(source, target, 'copy:moved'), /stopped/)
    const moved = (await readMark(source.store, keys.storeMoved))!
    await reopenStore(source.store, target.store, moved)
    await refuseMarked(source.store)
    await assert.rejects(refuseMarked(target.store), /is an unfinished copy/)
    await copy(source, target)
    await copy(target, last)
    await assert.rejects(reopenStore(source.store, target.store, moved), /copy_\d+ was moved to .*state; start/)
  })

  test('a command that writes while the store is moved ends with an error', async () => {
    const source = await KINDS.lmdb()
    await fill(source)
    const env = { SVC_DATA_DIR: join(source.store.dir!, '..'), SVC_SECRET_KEY: Buffer.from(NEXT_SECRET).toString('hex') }
    const write = withStore(readConfig({ env, isTerminal: false }).config, async ({ store }) => {
      await copy(source, await KINDS.postgres())
      await store.commit({ ops: [['late', randomBytes(3)]] })
      return 'written'
    })
    await assert.rejects(write, /was moved while this command ran, .* run it again there\. The store in .* was moved to .*copy_/)
  })
})

async function filesOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return new Map(
    await Promise.all(
      files.toSorted().map(async (file) => [file.slice(folder.length), (await readFile(file)).toString('hex')] as const),
    ),
  )
}
