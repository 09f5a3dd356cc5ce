/**
 * Kills the service while the disk is full: no acknowledged send and no received message may be lost. An earlier bug
 * treated a failed commit as a refusal of the network, and dropped the message.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pause } from '../ground.ts'
import { compare, line } from '../ledger.ts'
import { fillUp, onSmallDisk } from '../small-disk.ts'
import { burstIds, CONTACTS, type Owed, PHONE, settleOutgoing, waitForAll } from '../traffic.ts'

const RUNS = 6
const SENDS = 8

test(`${RUNS} kills on a full disk: every acknowledged send ends as sent, and everything that came is told`, {
  timeout: 590_000,
}, async (t) => {
  const world = await onSmallDisk(t, 'tmpfs', 128)
  if (!world) return
  const { disk, gateway, instance, sandbox, receiver } = world
  const owed: Owed[] = []
  const ids: string[] = []
  let refusedStarts = 0
  for (let run = 0; run < RUNS; run++) {
    await gateway.waitForStatus(instance, 'connected', 60_000)
    await world.untilReady(200)
    receiver.reply(() => {})
    for (let number = 1; number <= SENDS; number++) {
      const to = CONTACTS[number % 4]!
      const message = `out ${run} ${number}`
      const ack = await gateway.sendText(instance, to, message, { delay_message: number === 1 ? 8 : 0 })
      owed.push({ svcId: ack.svc_id, messageId: ack.message_id, to, message })
    }
    ids.push(...(await fillUp(world)))
    ids.push(...burstIds(await sandbox.burst(CONTACTS[2], PHONE, 10, `in ${run} `)))
    await pause(4_000 + Math.random() * 4_000)
    await world.service.kill()
    // On a full disk the start may fail. The service is then started again when the disk has space.
    const isUp = await world.start().then(
      () => true,
      () => false,
    )
    if (!isUp) refusedStarts++
    else await pause(Math.random() * 3_000)
    receiver.reply(null)
    disk.release()
    if (!isUp) await world.start()
  }
  await waitForAll(world, ids, owed, 180_000)
  const { lost, ...outgoing } = await settleOutgoing(world, owed)
  const incoming = compare(receiver, 'received', ids)
  t.diagnostic(line('full disk and kills, out', { ...outgoing, lost: lost.length, kills: RUNS, starts_refused: refusedStarts }))
  t.diagnostic(line('full disk and kills, in', { sent: incoming.sent, unique: incoming.unique, lost: incoming.lost.length }))
  assert.deepEqual(lost, [])
  assert.deepEqual(incoming.lost, [])
})
