/** Archives that are staged more than once in one process, by callers of the API or by commands, on each real store. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { newWebhookSettings } from '../../../src/account/webhook-settings.ts'
import { checkArchive, stageArrival } from '../../../src/archive/arrival.ts'
import { instanceFrames } from '../../../src/archive/instance-archive.ts'
import { keySlices, waitingImports } from '../../../src/directory/imports.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { DEFAULT_SETTINGS } from '../../../src/domain/instance.ts'
import type { Steps } from '../../../src/domain/steps.ts'
import { blobsUnder, getPiece, putSealedBlob } from '../../../src/storage/blobs/items.ts'
import { blobFiles } from '../../../src/storage/drivers/blob-files.ts'
import { mountBlobs, openBlobItems, openStore } from '../../../src/storage/open-store.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createSealer, RING_KEY_BYTES } from '../../../src/storage/sealer.ts'
import { stagedOwner } from '../../../src/storage/staged-blobs.ts'
import { BACKENDS, type Backend } from '../../contract/storage-backends.ts'
import { PASSPHRASE, writeCheaply } from './cheap-archive.ts'

const ID = '7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c31'
const RING_KEY = Buffer.alloc(RING_KEY_BYTES, 9)
const OF_STORE = createSealer(Buffer.alloc(RING_KEY_BYTES, 1))
const MEDIA = Buffer.alloc(5_000, 3)
/** Number of records of a long archive, which has three slices, and of a short one, which has one. */
const [LONG, SHORT] = [450, 100]
/** Number of the record at which a staging is killed: two of three slices are stored by then. */
const KILLED_AT = 420

const dir = await mkdtemp(join(tmpdir(), 'svc-arrival-'))
after(() => rm(dir, { recursive: true, force: true }))

const CONFIG = JSON.stringify({
  v: 1,
  id: ID,
  workspace: 'of another server',
  name: 'Moved',
  token: 'a'.repeat(48),
  settings: DEFAULT_SETTINGS,
  webhooks: newWebhookSettings('secret'),
  createdAt: 5,
  updatedAt: 6,
})
const CREDS = createSealer(RING_KEY).seal(
  keys.creds(ID),
  Buffer.from(JSON.stringify({ v: 1, creds: { signedIdentityKey: { public: { type: 'Buffer', data: 'AAAA' } } } })),
)

interface Made {
  file: string
  records: [name: string, value: string][]
}

/** Writes an archive of the instance, as of the time `made`. */
async function archiveOf(made: number, count: number): Promise<Made> {
  const file = join(dir, `${made}.age`)
  const records = Array.from({ length: count }, (_, index): [string, string] => [
    `timeline:00001:${index}`,
    `record ${index} of ${made}`,
  ])
  const all: [string, Uint8Array][] = [
    ['creds', CREDS],
    ...records.map(([name, text]): [string, Buffer] => [name, Buffer.from(text)]),
  ]
  const source = {
    async *range(prefix: string) {
      for (const [name, value] of all) yield [prefix + name, value] as [string, Uint8Array]
    },
  }
  const media = mountBlobs(blobFiles({ dir: join(dir, `media-${made}`) }))
  await putSealedBlob(media, keys.blob(ID, 'item'), MEDIA)
  const parts = {
    head: { v: 1, kind: 'move', id: ID, made, release: '1.0.0' } as const,
    config: Buffer.from(CONFIG),
    ringKey: RING_KEY,
  }
  await writeCheaply(file, instanceFrames(parts, source, media))
  return { file, records }
}

const first = await archiveOf(1, LONG)
const short = await archiveOf(2, SHORT)
const third = await archiveOf(3, LONG)

const IS_HERE = (error: unknown) => {
  assert.ok(error instanceof Failure, String(error))
  assert.deepEqual([error.status, error.message], [409, `Instance ${ID} is already linked as this device.`])
  return true
}

function killedAt(record: number): Steps {
  let left = record
  return () => {
    if (--left === 0) throw new Error('killed')
  }
}

for (const { name, skip, start } of BACKENDS)
  describe(`archives that are staged on ${name}`, { skip }, () => {
    let backend: Backend
    let count = 0
    before(async () => {
      backend = await start()
    })
    after(() => backend?.stop())

    /** Runs the work with a store of its own. */
    async function onStore(work: (target: Awaited<ReturnType<typeof targetOf>>) => Promise<void>): Promise<void> {
      const opened = await openStore(backend.url(`arrival_${++count}`))
      try {
        await work(await targetOf(opened))
      } finally {
        await opened.close()
      }
    }

    async function targetOf(store: Awaited<ReturnType<typeof openStore>>) {
      const place =
        store.blobDriver === undefined
          ? ({ in: 'files', dir: join(dir, `${name}-${count}`) } as const)
          : ({ in: 'store' } as const)
      const blobs = await openBlobItems(place, store)
      async function stage({ file }: Made, steps: Steps = () => {}): Promise<void> {
        const found = await checkArchive(file, PASSPHRASE)
        const made = { name: found.name, token: found.token }
        // Each service and command has its own driver.
        const blobs = await openBlobItems(place, store)
        await stageArrival(
          { store, sealer: OF_STORE, blobs, steps },
          { file, passphrase: PASSPHRASE, found, made, workspace: 'here' },
        )
      }
      async function staged() {
        const [device, ...others] = await waitingImports(store, OF_STORE)
        assert.deepEqual(others, [])
        return device
      }
      async function records(): Promise<[string, string][]> {
        const found: [string, string][] = []
        for await (const slice of keySlices(store, OF_STORE, (await staged())!))
          for (const [, record, value] of slice) found.push([record, Buffer.from(value).toString()])
        return found
      }
      return {
        stage,
        staged,
        records,
        async assertStaged(archive: Made): Promise<void> {
          assert.deepEqual(await records(), archive.records)
          const pieces = await blobsUnder(blobs, stagedOwner(ID))
          assert.deepEqual(await Promise.all(pieces.map(async (piece) => Buffer.from(await getPiece(blobs, piece)))), [MEDIA])
        },
      }
    }

    test('an archive is refused after it was staged, and so is another one of the same instance', () =>
      onStore(async ({ stage, assertStaged }) => {
        await stage(first)
        await assertStaged(first)
        for (const again of [first, short, third]) {
          await assert.rejects(stage(again), IS_HERE)
          await assertStaged(first)
        }
      }))

    for (const [what, next] of [
      ['the same one', first],
      ['a shorter one', short],
    ] as const)
      test(`an archive whose staging was killed leaves nothing to ${what} that is staged next`, () =>
        onStore(async ({ stage, staged, assertStaged }) => {
          await assert.rejects(stage(first, killedAt(KILLED_AT)), /killed/)
          assert.equal(await staged(), undefined, 'the service sees no part of it')
          await stage(next)
          await assertStaged(next)
        }))

    test('one of two stagings at the same time is refused, and no instance gets records of both archives', () =>
      onStore(async ({ stage, records }) => {
        const ended = await Promise.allSettled([stage(first), stage(third)])
        assert.deepEqual(ended.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
        for (const each of ended) if (each.status === 'rejected') IS_HERE(each.reason)
        const kept = ended[0].status === 'fulfilled' ? first : third
        // The staging that was refused may have replaced records of the other one; the import is then refused, too.
        const found = await records().catch((error: Failure) => error.code)
        if (found !== 'not_allowed') assert.deepEqual(found, kept.records)
      }))

    test('an archive that is staged twice at the same time is staged once, and whole', () =>
      onStore(async ({ stage, assertStaged }) => {
        const ended = await Promise.allSettled([stage(first), stage(first)])
        assert.deepEqual(ended.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
        for (const each of ended) if (each.status === 'rejected') IS_HERE(each.reason)
        await assertStaged(first)
      }))
  })
