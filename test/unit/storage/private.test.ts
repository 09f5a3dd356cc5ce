import assert from 'node:assert/strict'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { makeDataDir } from '../../../src/storage/private.ts'

/** Id of a user who owns no files. */
const SOMEBODY = 65_534
const isRoot = process.getuid?.() === 0

describe('a folder that this user may not use is named with its variable', {
  skip: !isRoot && 'only root can be another user',
}, () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-private-'))
    await chmod(dir, 0o755)
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  async function refusal(dataDir: string, storeDir?: string): Promise<string> {
    process.seteuid!(SOMEBODY)
    try {
      await makeDataDir(dataDir, storeDir)
      return 'none'
    } catch (error) {
      return (error as Error).message
    } finally {
      process.seteuid!(0)
    }
  }
  const user = `the user of this process (uid ${SOMEBODY})`

  test('that cannot be made', async () => {
    assert.equal(
      await refusal(join(dir, 'data')),
      `SVC_DATA_DIR is "${join(dir, 'data')}"; it must be a folder that exists or can be created.`,
    )
  })

  test('that is there', async () => {
    assert.equal(await refusal(dir), `SVC_DATA_DIR is "${dir}"; it must be a folder that ${user} can write to.`)
  })

  for (const [what, make] of [
    ['state', (path: string) => mkdir(path, { mode: 0o700 })],
    ['secret-key', (path: string) => writeFile(path, 'key', { mode: 0o600 })],
  ] as const) {
    test(`that is this user's, but not ${what} in it`, async () => {
      await chown(dir, SOMEBODY, SOMEBODY)
      assert.equal(await refusal(dir), 'none')
      await make(join(dir, what))
      assert.equal(
        await refusal(dir),
        `SVC_DATA_DIR is "${dir}", and ${user} may not use ${join(dir, what)}; give that user the whole folder (chown -R).`,
      )
    })
  }

  test('of a store that lies elsewhere', async () => {
    const data = join(dir, 'data')
    const store = join(dir, 'store')
    for (const folder of [data, store]) await mkdir(folder)
    await chown(data, SOMEBODY, SOMEBODY)
    assert.equal(await refusal(data, store), `SVC_STORE_URL is "${store}"; it must be a folder that ${user} can write to.`)
    await chown(store, SOMEBODY, SOMEBODY)
    await writeFile(join(store, 'data.mdb'), '', { mode: 0o600 })
    assert.match(await refusal(data, store), /^SVC_STORE_URL is ".*store", and .* may not use .*data\.mdb; /)
  })
})
