import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { image } from '../../harness/media-files.ts'
import { startGround, until } from '../ground.ts'
import { CONTACTS, PHONE } from '../traffic.ts'

const [ANA] = CONTACTS
const PICTURES = 4

test('items whose media was prepared ahead arrive once each, in order, over three kills', { timeout: 300_000 }, async () => {
  const ground = await startGround()
  const { gateway, sandbox, receiver } = ground
  try {
    await sandbox.createContact(ANA)
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    await ground.service.kill()
    await ground.start({ SVC_TEST_KILL_AT: 'queue:ahead' })
    await gateway.waitForStatus(instance, 'connected')
    // The network delays the acknowledgement of the first message, so that the next message is completely prepared
    // before the acknowledgement arrives.
    await sandbox.fault({ on: 'message', do: { delay_ms: 3_000 }, times: 1 })
    const expected: { id: string; sha256: string }[] = []
    for (let count = 0; count < PICTURES; count++) {
      const picture = await image('jpeg', 200 + count, 100)
      const body = { phone: ANA, image: picture.toString('base64') }
      const { message_id } = await gateway.must(instance, 'POST', '/send-image', body)
      expected.push({ id: String(message_id), sha256: createHash('sha256').update(picture).digest('hex') })
    }
    for (let life = 0; life < 3; life++) {
      const { signal } = await ground.service.ended
      assert.equal(signal, 'SIGKILL')
      await ground.start(life < 2 ? { SVC_TEST_KILL_AT: 'queue:ahead' } : {})
    }
    for (const { id } of expected) {
      const outcome = await receiver.waitFor(
        `delivery of ${id}`,
        (event) => event.type === 'delivery' && event.message_id === id,
        60_000,
      )
      assert.equal(outcome.status, 'sent')
    }
    const arrived = async () => (await sandbox.inbox(ANA)).map(({ id, media }) => ({ id, sha256: media?.sha256 ?? '' }))
    await until('all pictures', async () => (await arrived()).length === PICTURES, 20_000)
    assert.deepEqual(await arrived(), expected)
  } finally {
    await ground.stop()
  }
})
