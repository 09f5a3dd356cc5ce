import assert from 'node:assert/strict'
import {
  cp,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { checkRing, checkSecretKey, openKeyRing, openMain, rotateSecretKey } from '../../../src/storage/key-ring.ts'
import { createSealer } from '../../../src/storage/sealer.ts'
import { INSTANCE, membersOf, tempDir, tempStore } from './fixtures.ts'

const OLD = new Uint8Array(32).fill(1)
const NEW = new Uint8Array(32).fill(2)
const OTHER = '0a1b2c3d-0000-4000-8000-000000000000'
const WRONG = /^Error: The secret key is not the one this store was written with; start with the original key/

async function bench(t: TestContext) {
  const store = await tempStore(t)
  const ring = (secretKey = OLD) => openKeyRing(store, secretKey)
  return { store, ring, dir: join(store.dir, 'keys') }
}

test('a wrong secret key is refused with one sentence and changes nothing', async (t) => {
  const { store, ring, dir } = await bench(t)
  await (await ring()).make(INSTANCE)
  const before = await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name))))
  await assert.rejects(checkSecretKey(store, NEW), WRONG)
  await assert.rejects(ring(NEW), WRONG)
  await assert.rejects(openMain(store, NEW), WRONG)
  assert.deepEqual(await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name)))), before)
  await (await ring()).make(OTHER)
})

test('of two that begin an empty store at once both have the same keys', async (t) => {
  const { store, ring } = await bench(t)
  await Promise.all([checkSecretKey(store, OLD), checkSecretKey(store, OLD)])
  const { main } = await ring()
  assert.deepEqual((await openMain(store, OLD)).open('x', main.seal('x', Buffer.from('y'))), Buffer.from('y'))
})

test('keys are for their owner only, are the same after a restart, and seal nothing alike', async (t) => {
  const { ring, dir } = await bench(t)
  const first = await ring()
  await first.make(INSTANCE)
  await first.make(OTHER)
  const key = first.of(INSTANCE)
  assert.equal(key.byteLength, 64)
  assert.notDeepEqual(first.of(OTHER), key)
  const again = await ring()
  assert.deepEqual(Buffer.from(again.of(INSTANCE)), Buffer.from(key))
  assert.deepEqual(again.links, first.links)
  assert.deepEqual(again.instances().toSorted(), [OTHER, INSTANCE])
  assert.equal((await stat(join(dir, INSTANCE))).mode & 0o777, 0o600)
  assert.throws(() => createSealer(again.of(OTHER)).open('a', createSealer(key).seal('a', Buffer.of(1))), /cannot be opened/)
  assert.equal((await readFile(join(dir, INSTANCE))).includes(Buffer.from(key.subarray(0, 32))), false)
})

test('a key that is missing, damaged or of another store is a sentence that names it, and nothing is made in its place', async (t) => {
  const { store, ring, dir } = await bench(t)
  await (await ring()).make(INSTANCE)
  const aside = join(await tempDir(t), 'aside')
  await rename(join(dir, 'main'), aside)
  await assert.rejects(ring(), /^Error: The key .*\/keys\/main is missing, and the store cannot be read without it/)
  await rename(aside, join(dir, 'main'))

  const file = await open(join(dir, INSTANCE), 'r+')
  await file.write(Buffer.alloc(4), 0, 4, 40)
  await file.close()
  await assert.rejects(
    ring(),
    new RegExp(`The key .*/keys/${INSTANCE} cannot be decrypted with the secret key, but other keys can`),
  )
  await rm(join(dir, INSTANCE))
  const without = await ring()
  assert.throws(() => without.of(INSTANCE), new RegExp(`The key of instance ${INSTANCE} is missing`))

  const other = await bench(t)
  await other.ring()
  await cp(other.dir, dir, { recursive: true })
  await assert.rejects(ring(), /are not those of its records; restore both from one backup/)
  await assert.rejects(checkRing(store, (await other.ring()).main), /are not those of its records/)
})

test('folders and hidden files beside the keys are none', async (t) => {
  const { ring, dir } = await bench(t)
  const before = await ring()
  await before.make(INSTANCE)
  await mkdir(join(dir, 'lost+found'))
  await writeFile(join(dir, '.DS_Store'), 'x')
  assert.deepEqual((await ring()).instances(), [INSTANCE])
})

// An earlier bug: a key whose file is a link to another place was not found, so a rotation left it under the old secret
// key.
test('a key that lies elsewhere, and is linked to, is a key', async (t) => {
  const { ring, dir } = await bench(t)
  await (await ring()).make(INSTANCE)
  const elsewhere = join(await tempDir(t), INSTANCE)
  await rename(join(dir, INSTANCE), elsewhere)
  await symlink(elsewhere, join(dir, INSTANCE))
  assert.deepEqual((await ring()).instances(), [INSTANCE])
})

test('an empty store beside keys of instances is not begun anew', async (t) => {
  const { ring, dir } = await bench(t)
  await (await ring()).make(INSTANCE)
  const fresh = await bench(t)
  await cp(dir, fresh.dir, { recursive: true })
  await assert.rejects(fresh.ring(), /The store is empty, but .* holds keys of instances/)
})

test('a destroyed key is written over where it lay, and its file goes', async (t) => {
  const { ring, dir } = await bench(t)
  const keys = await ring()
  await keys.make(INSTANCE)
  const before = await readFile(join(dir, INSTANCE))
  // The file is opened before the key is destroyed. This handle still reads the same place on the disk when the file
  // has no name any longer.
  const place = await open(join(dir, INSTANCE), 'r')
  await keys.destroy(INSTANCE)
  const after = Buffer.alloc(before.length)
  await place.read(after, 0, after.length, 0)
  await place.close()
  for (let at = 0; at < 93; at += 16) assert.equal(after.includes(before.subarray(at, at + 16)), false)
  assert.deepEqual((await readdir(dir)).toSorted(), ['links', 'main'])
  assert.throws(() => keys.of(INSTANCE), /is missing/)
  await keys.destroy(INSTANCE)
})

// If a kill comes while a key is written, one file may have two names: that of the key and that of its draft.
test('the draft of a key goes without a change of the key, which may be the same file', async (t) => {
  const { ring, dir } = await bench(t)
  const keys = await ring()
  await keys.make(INSTANCE)
  await link(join(dir, INSTANCE), join(dir, `${INSTANCE}.0123456789ab.tmp`))
  assert.deepEqual(Buffer.from((await ring()).of(INSTANCE)), Buffer.from(keys.of(INSTANCE)))
  assert.deepEqual((await readdir(dir)).toSorted(), [INSTANCE, 'links', 'main'])
  await ring()
})

// The members of a cluster may share the folder of keys (`SVC_KEYS_DIR`), so another member may be writing a draft.
test('the start of a member leaves the draft of a key that another one is writing, and removes an old one', async (t) => {
  const { ring, dir, store } = await bench(t)
  await ring()
  const drafts = ['young', 'old'].map((name) => join(dir, `${name}.0123456789ab.tmp`)) as [string, string]
  for (const each of drafts) await writeFile(each, Buffer.alloc(1_024))
  const before = new Date(Date.now() - 2 * 3_600_000)
  await utimes(drafts[1], before, before)
  const condemned = join(dir, `${OTHER}.condemned.tmp`)
  await writeFile(condemned, Buffer.alloc(1_024))
  const starts = Array.from({ length: 4 }, () => openKeyRing({ ...store, members: membersOf() }, OLD))
  await Promise.all(starts)
  assert.deepEqual((await readdir(dir)).toSorted(), ['links', 'main', 'young.0123456789ab.tmp'])
})

class Killed extends Error {}

test('a destruction that ends before any flush to the disk is finished by the next start', async (t) => {
  for (let flush = 1; ; flush++) {
    const { ring, dir } = await bench(t)
    const keys = await ring()
    await keys.make(INSTANCE)
    await keys.make(OTHER)
    const place = await open(join(dir, INSTANCE), 'r')
    t.after(() => place.close())
    const before = await readFile(place)
    const end = endAtFlush(t, place, flush)
    const isWhole = await keys.destroy(INSTANCE).then(
      () => true,
      () => false,
    )
    end.mock.restore()
    assert.deepEqual((await ring()).instances(), [OTHER])
    assert.deepEqual((await readdir(dir)).toSorted(), [OTHER, 'links', 'main'])
    const after = Buffer.alloc(before.length)
    await place.read(after, 0, after.length, 0)
    assert.equal(after.includes(before.subarray(0, 16)), false, 'the key is written over')
    if (isWhole) break
  }
})

/** Makes the `flush`th flush of a file or folder, and every later one, fail. So the work ends there, as in a kill. */
function endAtFlush(t: TestContext, ofAny: FileHandle, flush: number) {
  const handles = Object.getPrototypeOf(ofAny) as FileHandle
  const { sync } = handles
  let reached = 0
  return t.mock.method(handles, 'sync', function (this: FileHandle) {
    return ++reached < flush ? sync.call(this) : Promise.reject(new Killed())
  })
}

/**
 * Starts a rotation that ends when it reaches the step for the `count`th time. Resolves with true if the new secret key
 * had replaced the old one before that.
 */
async function cutShort(store: Parameters<typeof rotateSecretKey>[0], step: string, count: number): Promise<boolean> {
  let left = count
  let isReplaced = false
  const steps = (reached: string) => {
    if (reached === step && --left === 0) throw new Killed()
  }
  const replace = async () => {
    isReplaced = true
    return true
  }
  await assert.rejects(rotateSecretKey(store, OLD, NEW, { replace, steps }), Killed)
  return isReplaced
}

const CUTS: [step: string, count: number][] = [
  ...[1, 2, 3, 4].map((count): [string, number] => ['rotate:sealed', count]),
  ['rotate:replaced', 1],
  ...[1, 2, 3, 4].map((count): [string, number] => ['rotate:cleared', count]),
]
for (const [step, count] of CUTS) {
  test(`a rotation that ends at ${step} ${count} is finished, or taken back, by the next start`, async (t) => {
    const { store, ring } = await bench(t)
    const before = await ring()
    for (const id of [INSTANCE, OTHER]) await before.make(id)
    const isReplaced = await cutShort(store, step, count)
    const [counts, gone] = isReplaced ? [NEW, OLD] : [OLD, NEW]
    const after = await ring(counts)
    for (const id of [INSTANCE, OTHER]) assert.deepEqual(Buffer.from(after.of(id)), Buffer.from(before.of(id)))
    assert.deepEqual(after.links, before.links)
    await assert.rejects(ring(gone), WRONG)
    await rotateSecretKey(store, counts, gone, { replace: async () => true, steps: () => {} })
    await assert.rejects(ring(counts), WRONG)
    assert.deepEqual(Buffer.from((await ring(gone)).of(OTHER)), Buffer.from(before.of(OTHER)))
  })
}

test('where the environment gives the key, both open until the first start with one of them', async (t) => {
  for (const chosen of [OLD, NEW]) {
    const { store, ring } = await bench(t)
    await (await ring()).make(INSTANCE)
    await rotateSecretKey(store, OLD, NEW, { replace: async () => false, steps: () => {} })
    await checkSecretKey(store, OLD)
    await checkSecretKey(store, NEW)
    assert.deepEqual((await ring(chosen)).instances(), [INSTANCE])
    await assert.rejects(ring(chosen === OLD ? NEW : OLD), WRONG)
  }
})

// A service may be killed while it reverts an interrupted rotation with the old secret key. Then some keys are
// encrypted with the old secret key, and others with both.
test('nothing is cleared while the secret key does not open all of them', async (t) => {
  const { store, ring, dir } = await bench(t)
  await (await ring()).make(INSTANCE)
  await rotateSecretKey(store, OLD, NEW, { replace: async () => false, steps: () => {} })
  const aside = await tempDir(t)
  await cp(dir, aside, { recursive: true })
  await (await ring(OLD)).make(OTHER)
  await cp(aside, dir, { recursive: true })
  await assert.rejects(ring(NEW), new RegExp(`${OTHER} cannot be decrypted with the secret key, but other keys can`))
  assert.deepEqual((await ring(OLD)).instances().toSorted(), [OTHER, INSTANCE])
})
