/**
 * Tests devices whose import was interrupted, because the member that imported them has ended. The
 * member that claims such a device must create its instance.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Log } from '../../../src/domain/log.ts'
import { eraseOrImport } from '../../../src/service/cluster/erase-or-import.ts'
import type { KeyRing } from '../../../src/storage/key-ring.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { INSTANCE, membersOf, tempStore } from '../storage/fixtures.ts'

const log: Log = { info() {}, warn() {}, error() {} }

async function world(t: TestContext, takes: boolean, isOwn = () => true) {
  const opened = await tempStore(t)
  const store = { ...opened, members: membersOf() }
  await store.commit({ ops: [[keys.import(INSTANCE), Buffer.from('device')]] })
  const destroyed: string[] = []
  const done: string[] = []
  const options = {
    store,
    homes: { isOwn },
    keyRing: { destroy: async (id: string) => void destroyed.push(id) } as unknown as KeyRing,
    blobs: { remove: async () => {}, owners: async () => [], names: async () => [] } as never,
    log: log as never,
    directory: {
      async betweenImports<T>(work: () => Promise<T>): Promise<T> {
        done.push('begins')
        const result = await work()
        done.push('ends')
        return result
      },
    },
    starts: {
      async takeImports() {
        done.push('imports')
        if (takes)
          await store.commit({
            ops: [
              [keys.import(INSTANCE), null],
              [keys.config(INSTANCE), Buffer.from('{}')],
            ],
          })
        return { booted: Promise.resolve() }
      },
    },
  }
  return { options, destroyed, done }
}

test('a device whose import was interrupted becomes an instance of the member that claims it', async (t) => {
  const { options, destroyed, done } = await world(t, true)
  await eraseOrImport([INSTANCE], options)
  assert.deepEqual(done, ['begins', 'ends', 'imports', 'begins', 'ends'])
  assert.deepEqual(destroyed, [])
})

test('a device that cannot be imported yet is neither erased nor forgotten', async (t) => {
  const { options, destroyed } = await world(t, false)
  await assert.rejects(eraseOrImport([INSTANCE], options), /could not be made an instance yet/)
  assert.deepEqual(destroyed, [])
})

test('a device whose import was refused has no home any more, so nothing of it is erased twice', async (t) => {
  const { options, destroyed } = await world(t, false, () => false)
  const { starts, store } = options
  await eraseOrImport([INSTANCE], {
    ...options,
    starts: {
      async takeImports() {
        await store.commit({ ops: [[keys.import(INSTANCE), null]] })
        return starts.takeImports()
      },
    },
  })
  assert.deepEqual(destroyed, [])
})
