/**
 * Tests the folders for temporary files of services that share a data folder: a start removes only folders that no
 * running service uses.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { makeTempDir, removeTempDir, tempDirOf } from '../../../src/service/temp-folder.ts'
import { tempDir } from '../storage/fixtures.ts'

/** Id of a process that has ended. */
const endedPid = () => execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }).trim()

test('a start keeps the files of services that run, here or elsewhere, and removes all others', async (t) => {
  const dataDir = await tempDir(t)
  const own = tempDirOf({ dataDir })
  const running = [`${process.ppid}@${hostname()}`, '1@another-machine']
  const left = [basename(own), `${endedPid()}@${hostname()}`, 'shard-0']
  for (const name of [...running, ...left]) {
    await mkdir(join(dataDir, 'tmp', name, 'shard-0'), { recursive: true })
    await writeFile(join(dataDir, 'tmp', name, 'shard-0', 'file'), 'x')
  }
  await writeFile(join(dataDir, 'tmp', 'import-of-an-earlier-release'), 'x')
  await makeTempDir({ dataDir })
  assert.deepEqual((await readdir(join(dataDir, 'tmp'))).toSorted(), [basename(own), ...running].toSorted())
  assert.deepEqual(await readdir(own), [])
  await removeTempDir({ dataDir })
  assert.deepEqual((await readdir(join(dataDir, 'tmp'))).toSorted(), running.toSorted())
})
