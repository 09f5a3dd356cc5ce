import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { MEDIA_LIMIT } from '../../../src/domain/media.ts'
import { createConversions } from '../../../src/engine/conversions.ts'
import { findPrograms } from '../../../src/engine/programs.ts'
import * as files from '../../harness/media-files.ts'
import { withoutFfmpeg } from '../../harness/media-files.ts'

const log = { info() {}, warn() {}, error() {} }
const job = (dir: string, purpose: 'video' | 'image') =>
  ({ purpose, path: join(dir, 'original'), dir, limit: MEDIA_LIMIT, author: null, waveform: false }) as const

async function atWork(dir: string): Promise<string[]> {
  const lines = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  )
  return lines.filter((line) => line.includes(dir))
}
async function until(what: string, holds: () => Promise<boolean>) {
  for (let left = 1_000; !(await holds()); left--) {
    assert.ok(left > 0, what)
    await wait(10)
  }
}

test('a conversion under way ends with the service', {
  skip: withoutFfmpeg || (process.platform === 'linux' ? false : 'processes are read from /proc'),
}, async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-conversions-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  await writeFile(join(dir, 'original'), await files.largeFilm(15 * 1_048_576))
  const conversions = createConversions({ programs: files.programs, conversions: 1, logging: { level: 'silent' }, log })
  const result = conversions.prepare(job(dir, 'video'))
  await until('the conversion did not begin', async () => (await atWork(dir)).some((line) => line.includes('libx264')))
  await conversions.close()
  await until('ffmpeg went on', async () => (await atWork(dir)).length === 0)
  assert.ok('err' in (await result))
})

test('a picture and a refusal come back as data', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-conversions-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  const conversions = createConversions({ programs: null, conversions: 1, logging: { level: 'silent' }, log })
  t.after(() => conversions.close())
  await writeFile(join(dir, 'original'), await files.image('jpeg'))
  const [picture, refusal] = await Promise.all([conversions.prepare(job(dir, 'image')), conversions.prepare(job(dir, 'video'))])
  assert.ok('ok' in picture && (picture.ok as { width: number }).width === 320)
  assert.ok('err' in refusal && refusal.err.code === 'media_invalid')
})

test('ffmpeg is found beside the one that is named, on the path, or not at all', { skip: withoutFfmpeg }, async () => {
  const path = process.env.PATH ?? ''
  const known = files.programs!
  assert.deepEqual(await findPrograms({ ffmpeg: null, path }), known)
  assert.deepEqual(await findPrograms({ ffmpeg: known.ffmpeg, path: '' }), known)
  assert.equal(await findPrograms({ ffmpeg: null, path: '/nowhere' }), null)
  assert.equal(await findPrograms({ ffmpeg: '/nowhere/ffmpeg', path }), null)
  assert.equal(await findPrograms({ ffmpeg: 'off', path }), null)
})
