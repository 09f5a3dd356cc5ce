/**
 * Imports a device while the disk is full. The import must be refused, no data of the device may stay on the disk, and
 * the same file can be imported when there is space again.
 */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { BufferJSON } from '@whiskeysockets/baileys'
import { must } from '../../harness/http.ts'
import { linked, session } from '../../unit/portability/device.ts'
import { errorOf, MB, onSmallDisk } from '../small-disk.ts'

/**
 * Number of Signal sessions of the device, each of 28 kB. They need more than the 8 MB that the store reserves in
 * advance.
 */
const SESSIONS = 2_100
const CLOSED = 40

test('an import on a full disk leaves nothing, and works when there is space', async (t) => {
  const world = await onSmallDisk(t, 'tmpfs', 256)
  if (!world) return
  const { disk, gateway } = world
  const sessions = Array.from({ length: SESSIONS }, (_, number) => [
    `session-${4_915_700_000_000 + number}.0.json`,
    session(number % 250, CLOSED),
  ])
  const body = JSON.stringify({ ...Object.fromEntries(sessions), 'creds.json': linked() }, BufferJSON.replacer)
  const imported = async () => {
    const answer = await fetch(`${gateway.baseUrl}/admin/instances/import?from=baileys&stopped=true`, {
      method: 'POST',
      headers: { ...gateway.admin, 'Content-Type': 'application/octet-stream' },
      body,
    })
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> }
  }
  const instances = async () =>
    (await must<{ total: number }>('GET', `${gateway.baseUrl}/account/instances`, undefined, gateway.account)).total
  const uploads = async () =>
    (await readdir(join(world.dataDir, 'tmp'), { recursive: true })).filter((name) => basename(name).startsWith('import-'))

  // In the first round the disk has no space for the uploaded file. In the second round it has, but not for the records
  // that the store makes of the file.
  for (const left of [body.length - MB, body.length + MB]) {
    disk.fill(left)
    const refused = await imported()
    t.diagnostic(`${Math.round(left / MB)} MB left: ${refused.status} ${JSON.stringify(refused.body).slice(0, 200)}`)
    assert.equal(refused.status, 503, JSON.stringify(refused.body))
    assert.equal(errorOf(refused).code, 'engine_unavailable')
    assert.deepEqual([await instances(), await uploads()], [1, []])
    assert.equal(world.service.child.exitCode, null)
    disk.release()
    await world.untilReady(200)
  }
  const taken = await imported()
  assert.equal(taken.status, 200, JSON.stringify(taken.body))
  assert.match((taken.body.report as string[]).join('\n'), /^2100 sessions with devices: 2100 taken, 2100 converted\.$/m)
  assert.deepEqual([await instances(), await uploads()], [2, []])
})
