import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { run } from '../harness/process.ts'
import { createSandbox } from '../harness/sandbox.ts'
import { mountSmallDisk } from '../harness/small-disk.ts'
import { until } from './ground.ts'

const FATAL = 60

test('a sandbox network keeps working on a full disk, and stopping there is a warning and no failure', async (t) => {
  const disk = mountSmallDisk('tmpfs', 4)
  if (typeof disk === 'string') return t.skip(disk)
  t.after(() => disk.unmount())
  const folder = join(disk.dir, 'data', 'sandbox', 'network')
  const state = join(folder, 'network.json')
  const isKept = async (phone: string) => (await readFile(state, 'utf8')).includes(`"number":"${phone}"`)
  const network = await run(['--network-only'], {
    SVC_DATA_DIR: join(disk.dir, 'data'),
    SVC_SANDBOX_PORT: '0',
    SVC_LOG_LEVEL: 'warn',
  })
  t.after(() => network.kill())
  let log = ''
  network.child.stderr?.on('data', (chunk: Buffer) => {
    log += chunk.toString()
  })
  const warned = (text: string) => log.split(text).length - 1
  const sandbox = createSandbox(network.printed.sandbox_url!)
  await sandbox.createContact('5511900000001')
  await until('the first state is written', () => isKept('5511900000001').catch(() => false))

  disk.fill()
  await sandbox.createContact('5511900000002')
  await until('the warning of a full disk', () => warned('cannot be written') === 1)
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.endsWith('.new')),
    [],
    'no half-written state takes up room',
  )
  disk.release()
  await until('the state is written when there is room', () => isKept('5511900000002'))

  disk.fill()
  await sandbox.createContact('5511900000003')
  await until('the second warning', () => warned('cannot be written') === 2)
  await network.stop()
  assert.deepEqual(await network.ended, { code: 0, signal: null })
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: number; msg: string })
  assert.deepEqual(
    lines.filter(({ level }) => level >= FATAL),
    [],
  )
  assert.match(
    lines.at(-1)!.msg,
    /^The sandbox network stopped without its latest state: .*network\.json cannot be written \(ENOSPC/,
  )
  assert.equal(await isKept('5511900000002'), true, 'the last state that was written is whole')
})
