/**
 * Other programs fill the disk. The service must report this, refuse new messages, continue to receive in the space
 * that is left, and lose nothing that it has acknowledged.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { amount } from '../harness/amount.ts'
import { START } from '../harness/checkout.ts'
import { mountSmallDisk } from '../harness/small-disk.ts'
import { pause, until } from './ground.ts'
import { compare, line } from './ledger.ts'
import { errorOf, fillUp, MB, onSmallDisk, RESERVE_MB } from './small-disk.ts'
import { burstIds, CONTACTS, PHONE } from './traffic.ts'

for (const kind of amount(['tmpfs', 'ext4'] as const, ['tmpfs'] as const)) {
  test(`${kind}: below the mark sends are refused and readiness says why; the rest goes on, and it passes by itself`, async (t) => {
    const world = await onSmallDisk(t, kind)
    if (!world) return
    const { disk, gateway, instance, sandbox, receiver } = world
    const { pid } = world.service.child
    assert.equal((await world.ready()).status, 200)
    // The service accepts this text while the disk has space, and sends it when the disk is almost full.
    const { svc_id } = await gateway.sendText(instance, CONTACTS[0], 'before', { delay_message: 5 })
    disk.fill((RESERVE_MB / 2) * MB)

    const notReady = errorOf(await world.untilReady(503))
    assert.equal(notReady.code, 'engine_unavailable')
    assert.match(notReady.message, /^The disk has \d+ MB left, less than SVC_DISK_RESERVE_MB \(24\): new messages are refused\.$/)
    assert.equal((notReady.details.checks as Record<string, string>).disk, 'failed')
    const refused = await gateway.ask(instance, 'POST', '/send-text', { phone: CONTACTS[0], message: 'too late' })
    assert.equal(refused.status, 503)
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.deepEqual(errorOf(refused), {
      code: 'engine_unavailable',
      message: 'The disk of the service is nearly full; new messages are refused until space is freed.',
      details: { reason: 'disk_full' },
    })
    assert.equal((await gateway.ask(instance, 'GET', '/status')).body.connected, true)
    const ids = burstIds(await sandbox.burst(CONTACTS[1], PHONE, 30, 'into the reserve '))
    await until('what arrives', () => compare(receiver, 'received', ids).lost.length === 0)
    await receiver.waitFor('what was queued before', ({ type, svc_id: id }) => type === 'delivery' && id === svc_id)

    disk.release()
    await world.untilReady(200)
    const later = await gateway.sendText(instance, CONTACTS[0], 'with room')
    await receiver.waitFor(
      'the send',
      ({ type, svc_id: id, status }) => type === 'delivery' && id === later.svc_id && status === 'sent',
    )
    assert.equal(world.service.child.pid, pid)
    assert.equal(world.service.child.exitCode, null)
  })
}

test('a disk without any room: nothing is confirmed that is not stored, nothing ends, and everything comes when there is room', async (t) => {
  const world = await onSmallDisk(t, 'tmpfs')
  if (!world) return
  const { disk, gateway, instance, sandbox, receiver } = world
  // The receiver does not answer, so that the events stay on the disk and need space.
  receiver.reply(() => {})
  const ids = await fillUp(world)
  assert.equal(
    errorOf(await world.ready()).message,
    'The disk is full: new messages are refused, and messages from the network are not confirmed.',
  )
  assert.equal((await gateway.ask(instance, 'POST', '/send-text', { phone: CONTACTS[0], message: 'no' })).status, 503)
  // Smaller messages use up the last free pages. The last of them are no longer accepted.
  for (let number = 1; number <= 60; number++)
    ids.push((await sandbox.send(CONTACTS[2], PHONE, { text: `more ${number} ${'x'.repeat(50_000)}` })).id)
  await pause(3_000)
  assert.ok((await sandbox.pending()) > 0, 'the network keeps what was not confirmed')
  assert.equal(world.service.child.exitCode, null)

  receiver.reply(null)
  disk.release()
  await world.untilReady(200)
  await until('all of them', () => compare(receiver, 'received', ids).lost.length === 0, 120_000)
  const { sent, unique, lost, torn } = compare(receiver, 'received', ids)
  t.diagnostic(line('full, in', { sent, unique, lost: lost.length }))
  assert.deepEqual(torn, [])
  await gateway.waitForStatus(instance, 'connected', 60_000)
  const { svc_id } = await gateway.sendText(instance, CONTACTS[0], 'with room')
  await receiver.waitFor(
    'the send',
    ({ type, svc_id: id, status }) => type === 'delivery' && id === svc_id && status === 'sent',
    60_000,
  )
})

test('a start that finds no room ends with one sentence', async (t) => {
  const disk = mountSmallDisk('tmpfs', 16)
  if (typeof disk === 'string') return t.skip(disk)
  t.after(() => disk.unmount())
  disk.fill()
  const dataDir = join(disk.dir, 'data')
  const child = spawn(process.execPath, START, {
    env: { ...process.env, SVC_DATA_DIR: dataDir, SVC_PORT: '0', SVC_LOG_LEVEL: 'fatal' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [complaint, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'close')])
  assert.deepEqual([code, signal], [1, null])
  const [first, ...reasons] = complaint.trim().split('\n')
  assert.equal(first, `svc: The disk of ${dataDir} is full; free some space, then start the service again.`)
  for (const reason of reasons) assert.match(reason, /^ {2}because: /)
})
