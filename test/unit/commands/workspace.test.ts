import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { newWorkspace } from '../../../src/account/new-workspace.ts'
import { createWorkspace } from '../../../src/commands/workspace.ts'
import { allWorkspaces, writeWorkspace } from '../../../src/commands/workspaces.ts'
import { readConfig } from '../../../src/config.ts'
import { HOUR } from '../../../src/domain/clock.ts'
import { checkSecretKey, openMain } from '../../../src/storage/key-ring.ts'
import { openStore } from '../../../src/storage/open-store.ts'
import { loadSecretKey } from '../../../src/storage/secret-key.ts'
import { tempDir } from '../storage/fixtures.ts'

const CALL = { arguments: [], note() {}, print() {}, interrupted: () => new AbortController().signal }

test('a workspace that is created after the clock was set back is not older than that of the operator', async (t) => {
  const { config } = readConfig({ env: { SVC_DATA_DIR: await tempDir(t) } })
  const open = async () => {
    const store = await openStore(config.storeUrl)
    const secretKey = await loadSecretKey({ file: join(config.dataDir, 'secret-key'), store })
    await checkSecretKey(store, secretKey)
    return { store, sealer: await openMain(store, secretKey), keyOf: async () => undefined }
  }
  const before = await open()
  const first = newWorkspace({ name: 'first', now: Date.now() + HOUR, adminKeyHash: null, instanceSlots: 1 })
  await writeWorkspace(before, first, null)
  await before.store.close()
  for (const name of ['second', 'third']) await createWorkspace.run({ ...CALL, config, options: { name } as never })
  const after = await open()
  const all = await allWorkspaces(after)
  await after.store.close()
  assert.deepEqual(
    all.map(({ record }) => [record.name, record.createdAt - first.createdAt]),
    [
      ['first', 0],
      ['second', 1],
      ['third', 2],
    ],
  )
})
