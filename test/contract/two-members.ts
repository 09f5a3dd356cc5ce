/** Tests two members of a cluster that find the same imported device, or what looks like a leftover of an import. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, test } from 'node:test'
import { importOps, refusalOf, stageArchive } from '../../src/directory/imports.ts'
import { MINUTE } from '../../src/domain/clock.ts'
import type { DeviceBundle } from '../../src/domain/device-bundle.ts'
import { Failure } from '../../src/domain/failures.ts'
import type { Log } from '../../src/domain/log.ts'
import type { Step, Steps } from '../../src/domain/steps.ts'
import { deferred } from '../../src/lib/deferred.ts'
import { checkFolders } from '../../src/service/shared-folders.ts'
import { hasInstance } from '../../src/storage/beside-members.ts'
import { putSealedBlob, recountBlobs } from '../../src/storage/blobs/items.ts'
import { eraseClaimed, eraseLeftovers } from '../../src/storage/erase.ts'
import { checkSecretKey } from '../../src/storage/key-ring.ts'
import type { Member } from '../../src/storage/members.ts'
import { openBlobItems } from '../../src/storage/open-store.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { stagedOwner } from '../../src/storage/staged-blobs.ts'
import { ADMIN_KEY, openService } from './http/service.ts'
import { type MainOptions, type Running, SECRET_KEY, silent } from './main-thread.ts'

const OTHER: Member = { id: randomUUID(), name: 'other', host: '127.0.0.1', port: 1 }

const bundleOf = (identity: string): DeviceBundle => ({
  identity,
  creds: Buffer.from(JSON.stringify({ v: 1, creds: { signedIdentityKey: { public: { type: 'Buffer', data: identity } } } })),
  keys: [['pre-key', '1', Buffer.from('key')]],
})

async function leave({ store, sealer, workspace }: Running, identity: string): Promise<string> {
  const about = { id: randomUUID() as string, workspace, name: 'Moved', token: randomUUID() }
  await store.commit({ ops: importOps(sealer, about, bundleOf(identity)) })
  return about.id
}

const idsOf = ({ directory, workspace }: Running): string[] =>
  directory.list(workspace, { page: 1, page_size: 100 }).ids.toSorted()

/**
 * Returns a function whose promises resolve when the function was called twice. So both members have passed their first
 * checks before either goes on.
 */
function meeting(): () => Promise<void> {
  let come = 0
  const both = deferred<void>()
  return async () => {
    if (++come === 2) both.resolve()
    await both.promise
  }
}

export function testMembers(url: () => string, open: (url: string, options: MainOptions) => Promise<Running>): void {
  /**
   * Functions of both members that a test can replace. All tests share the two members, because opening them takes half
   * a second.
   */
  const hooks: { atStep: Steps; error: Log['error'] } = { atStep: () => {}, error: silent.error }
  let opened: Promise<{ store: string; a: Running; b: Running }> | undefined
  async function openBoth() {
    const store = url()
    const log: Log = { ...silent, error: (fields, message) => hooks.error(fields, message) }
    const options = { others: [OTHER], steps: (step: Step) => hooks.atStep(step), log }
    return { store, a: await open(store, options), b: await open(store, options) }
  }
  function members() {
    opened ??= openBoth()
    return opened
  }
  afterEach(() => Object.assign(hooks, { atStep: () => {}, error: silent.error }))

  test('a device that two members find at the same time becomes one instance, and neither of them refuses it', async () => {
    const { a, b } = await members()
    for (let round = 0; round < 5; round++) {
      const id = await leave(a, `device ${round}`)
      const taken = await Promise.all([a.directory.takeImports(), b.directory.takeImports()])
      const ids = taken.flat().map((config) => config.id)
      assert.deepEqual(ids, [id])
      assert.equal(await refusalOf(a.store, id), undefined)
    }
    assert.equal(await a.store.count('import:'), 0, 'nothing of the imports is left')
  })

  test('a member that listed a device before another one took it leaves it alone', async () => {
    const { a, b } = await members()
    const id = await leave(a, 'listed')
    const { range } = b.store
    const [listed, taken] = [deferred<void>(), deferred<void>()]
    b.store.range = async function* (prefix, options) {
      yield* range(prefix, options)
      if (prefix !== keys.imports) return
      listed.resolve()
      await taken.promise
    }
    const late = b.directory.takeImports()
    await listed.promise
    assert.equal((await a.directory.takeImports()).length, 1)
    taken.resolve()
    assert.deepEqual(await late, [])
    b.store.range = range
    assert.equal(await refusalOf(a.store, id), undefined)
    assert.ok(idsOf(a).includes(id))
  })

  test('one device in two files becomes one instance, although two members take the files at the same time', async () => {
    const { a, b } = await members()
    const meet = meeting()
    hooks.atStep = (step) => (step === 'import:slice' ? meet() : undefined)
    hooks.error = () => {}
    const ids = [await leave(a, 'same'), await leave(a, 'same')]
    await Promise.all([a.directory.takeImports(), b.directory.takeImports()])
    await Promise.all([a.main.catchUp(), b.main.catchUp()])
    const made = ids.filter((id) => idsOf(a).includes(id))
    assert.deepEqual([made.length, idsOf(b)], [1, idsOf(a)])
    const [refused = ''] = ids.filter((id) => !made.includes(id))
    const refusal = await refusalOf(a.store, refused)
    assert.ok(refusal instanceof Failure && refusal.code === 'already_linked')
    assert.deepEqual([await a.store.count(keys.instance(refused)), await a.store.count(keys.allImportSlices)], [0, 0])
  })

  test('the start of a member keeps what another one is staging, and a start alone removes it', async () => {
    const { a, store } = await members()
    const id = randomUUID()
    const blobs = await openBlobItems({ in: 'store' }, a.store)
    const start = async (others: readonly Member[]) => {
      const { store: own, keyRing } = await open(store, { others })
      await eraseLeftovers({ store: own, keyRing, blobs, log: silent })
      return [await own.count(keys.allImportSlices), (await blobs.getKeys(stagedOwner(id))).length]
    }
    await putSealedBlob(blobs, `${stagedOwner(id)}:item`, Buffer.alloc(100))
    const staged = stageArchive(a.store, a.sealer, { id, made: 1 })
    for (let n = 0; n < 200; n++) await staged.add(`timeline:00001:${n}`, Buffer.from('record'))
    assert.deepEqual(await start([OTHER]), [1, 1])
    assert.deepEqual(await start([]), [0, 0])
  })

  test('two services with different secret keys leave each key one copy, although both remove that of the other', async () => {
    const { a, b } = await members()
    const { keyTable } = a.store
    await keyTable.add('both', [Buffer.from('by one'), Buffer.from('by the other')])
    const ends = await Promise.allSettled([keyTable.set('both', 0, undefined), b.store.keyTable.set('both', 1, undefined)])
    assert.deepEqual(ends.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    const left = (await keyTable.get('both'))!.filter((place) => place !== undefined)
    assert.equal(left.length, 1)
    // At its next start, the service whose copy of the key is left clears the other place again. This must succeed,
    // although that place is already empty.
    await keyTable.set('both', (await keyTable.get('both'))![0] ? 1 : 0, undefined)
  })

  test('a first start accepts the key that another one made after it found none', async () => {
    const { a } = await members()
    let isFirst = true
    const late: typeof a.store = {
      ...a.store,
      async get(key) {
        const isEarly = isFirst
        isFirst = false
        return isEarly ? undefined : a.store.get(key)
      },
    }
    await checkSecretKey(late, SECRET_KEY)
  })

  test('each member counts the instances that it has', async () => {
    const { a, b } = await members()
    const id = await a.directory.create(a.workspace, { name: 'first' })
    await b.main.catchUp()
    const countOf = ({ directory, store }: Running) =>
      Object.values(directory.countByStatus((instance) => hasInstance(store, instance))).reduce((sum, count) => sum + count, 0)
    assert.ok(hasInstance(a.store, id) && !hasInstance(b.store, id))
    assert.deepEqual([idsOf(b), countOf(a) + countOf(b)], [idsOf(a), idsOf(a).length])
  })

  test('a pairing that one member began ends when the other one revokes its connect link', async () => {
    const { a, b } = await members()
    const { workspace } = a
    const instance = await a.directory.create(workspace, { name: 'first' })
    const [ofA, ofB] = [await a.connectLinks(), await b.connectLinks()]
    const { link } = await ofA.create(workspace, instance, {
      lifeMs: MINUTE,
      allowedOrigins: [],
      locale: 'en',
      operator: { name: null, color: null },
    })
    await b.main.catchUp()
    ofA.begin(link)
    a.calls.length = 0
    await ofB.revoke(workspace, link.id)
    await a.main.catchUp()
    assert.deepEqual(
      a.calls.map(({ operation }) => operation),
      ['instance.endPairing'],
    )
    await Promise.all([ofA.stop(), ofB.stop()])
  })

  test('each member counts the media that all have stored, and a folder that is not the shared one is refused', async (t) => {
    const { a } = await members()
    const blobs = await openBlobItems({ in: 'store' }, a.store)
    const counter = new BigInt64Array([5n])
    await recountBlobs(blobs, counter)
    const before = counter[0]!
    await putSealedBlob(blobs, `${randomUUID()}:item`, Buffer.alloc(200))
    await recountBlobs(blobs, counter)
    assert.equal(counter[0]! - before, 200n)

    const dir = await mkdtemp(join(tmpdir(), 'svc-shared-'))
    t.after(() => rm(dir, { recursive: true }))
    const [shared, own] = [join(dir, 'shared'), join(dir, 'own')]
    await Promise.all([mkdir(shared), mkdir(own)])
    await checkFolders({ keysDir: shared, blobsDir: null }, { ...a.store, members: undefined })
    await checkFolders({ keysDir: shared, blobsDir: null }, a.store)
    await assert.rejects(
      checkFolders({ keysDir: own, blobsDir: null }, a.store),
      /^Error: SVC_KEYS_DIR is .* same shared folder\.$/,
    )
  })

  test('a browser extension may reach another member than the page that gave it the ticket', async () => {
    const { a, b } = await members()
    const instance = await a.directory.create(a.workspace, { name: 'first' })
    const [ofA, ofB] = [await a.passkeys(), await b.passkeys()]
    const ask = async (own: typeof ofA) => (await own.ticket(instance, 'https://gw.example', { isStranger: true })).ticket
    const first = await ask(ofA)
    await b.main.catchUp()
    assert.equal(ofB.find(first), instance)
    assert.equal((await ofB.open(first))?.isStranger, true)
    const second = await ask(ofB)
    await a.main.catchUp()
    assert.deepEqual([ofA.find(first), ofA.find(second)], [undefined, instance], 'it ends with the next one, of any member')
    ofA.spent(second)
    assert.equal(ofA.find(second), undefined)
    await a.main.idle()
    await b.main.catchUp()
    assert.equal(ofB.find(second), undefined)
    assert.equal(await a.store.count(keys.passkeyTickets), 0)
  })

  test('what a killed member has left of an import is not erased while its device waits, and is used by the next one', async () => {
    const { a, b } = await members()
    const id = await leave(a, 'killed')
    hooks.atStep = (step) => {
      if (step === 'import:slice') throw new Error('killed')
    }
    await assert.rejects(a.directory.takeImports(), /killed/)
    await a.store.homes!.release([id])
    hooks.atStep = () => {}
    const { store, keyRing } = b
    const blobs = await openBlobItems({ in: 'store' }, store)
    assert.ok((await store.homes!.claim([id])).has(id))
    await b.directory.betweenImports(() => eraseClaimed([id], { store, keyRing, blobs, log: silent }))
    assert.equal(await store.count(keys.signals(id)), 1)
    assert.equal((await b.directory.takeImports()).length, 1)
    assert.ok(idsOf(b).includes(id))
    assert.equal(await store.count('import:'), await store.count(keys.importRefusals))
  })

  test('of two first starts at the same time, one shows an admin key, and both accept it', async () => {
    const options = { storeUrl: url(), hasOwnAdminKey: true }
    const services = await Promise.all([openService(options), openService(options)])
    try {
      const shown = services.map(({ credentials }) => credentials.adminKey).filter((key) => key !== ADMIN_KEY)
      assert.equal(shown.length, 1)
      await Promise.all(services.map(({ account }) => account.catchUp()))
      const [one, other] = services.map(({ account }) => account.findAdmin(shown[0]!))
      assert.ok(one !== undefined && one === other)
    } finally {
      await Promise.all(services.map((each) => each.close()))
    }
  })
}
