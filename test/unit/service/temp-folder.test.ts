import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { DAY, HOUR } from '../../../src/domain/clock.ts'
import { openTempFolder, tempDirOf } from '../../../src/service/temp-folder.ts'
import { tempDir, until } from '../storage/fixtures.ts'

const endedPid = () => execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }).trim()

async function makeFolder(path: string, age = 0): Promise<void> {
  await mkdir(join(path, 'shard-0'), { recursive: true })
  await writeFile(join(path, 'shard-0', 'file'), 'x')
  await setAge(path, age)
}

async function setAge(path: string, age: number): Promise<void> {
  const then = new Date(Date.now() - age)
  await utimes(path, then, then)
}

test('a start keeps the files of services that run, here or elsewhere, and removes all others', async (t) => {
  const dataDir = await tempDir(t)
  const own = tempDirOf({ dataDir })
  const [all, name] = [dirname(own), basename(own)]
  const place = name.slice(name.indexOf('@') + 1, name.lastIndexOf('.'))
  // Two containers may have the same host name. But a process id of one container means nothing in the other, so these
  // folders must stay.
  const elsewhere = [`${process.pid}@${place}1.0123456789ab`, `${endedPid()}@${place}1.0123456789ab`]
  const running = [`${process.ppid}@${place}.0123456789ab`, '1@another-machine.4026531836.0123456789ab', ...elsewhere]
  const ended = [`${process.pid}@${place}.0123456789ab`, `${endedPid()}@${place}.0123456789ab`]
  const untouched = ['2@another-machine.4026531836.0123456789ab', `3@${place}1.0123456789ab`, '4@of-an-earlier-build']
  for (const each of running) await makeFolder(join(all, each), DAY - HOUR)
  for (const each of [...ended, 'shard-0']) await makeFolder(join(all, each))
  for (const each of untouched) await makeFolder(join(all, each), DAY + HOUR)
  await writeFile(join(all, 'import-of-an-earlier-release'), 'x')
  const close = await openTempFolder({ dataDir })
  assert.deepEqual((await readdir(all)).toSorted(), [name, ...running].toSorted())
  assert.deepEqual(await readdir(own), [])
  await close()
  assert.deepEqual((await readdir(all)).toSorted(), running.toSorted())
})

test('a service that runs for days keeps its own folder, and removes those that are no longer touched', async (t) => {
  const dataDir = await tempDir(t)
  const own = tempDirOf({ dataDir })
  t.mock.timers.enable({ apis: ['setInterval'] })
  t.after(await openTempFolder({ dataDir }))
  for (const each of [dirname(own), own]) assert.equal((await stat(each)).mode & 0o777, 0o700)
  await makeFolder(join(own, 'shard-0'))
  const left = join(dirname(own), '1@another-machine.4026531836.0123456789ab')
  await makeFolder(left, DAY + HOUR)
  const others = async () => (await readdir(dirname(own))).filter((name) => name !== basename(own))
  const wakeAfter = async (age: number) => {
    await setAge(own, age)
    t.mock.timers.tick(HOUR)
    await until(async () => (await stat(own)).mtimeMs > Date.now() - HOUR / 2, 'the new time of the folder')
  }
  // The machine has been asleep for two days. So other running services could not touch their folders during this time.
  await wakeAfter(2 * DAY)
  assert.deepEqual(await others(), [basename(left)])
  await wakeAfter(HOUR)
  assert.deepEqual(await others(), [])
  assert.deepEqual(await readdir(own), ['shard-0'])
})
