/**
 * Kills the service while it copies received files to a bucket that is unreachable at times. In the end every file must
 * be in the bucket, and no event may have waited for the copy of its file.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { noS3, startS3 } from '../../harness/s3.ts'
import { startS3Proxy } from '../../harness/s3-proxy.ts'
import { pause, startGround, until } from '../ground.ts'
import { CONTACTS, PHONE } from '../traffic.ts'

const [ANA] = CONTACTS
const KILLS = 4
const FILES_EACH = 4

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test(`${KILLS} kills lose no copy of a received file`, { skip: noS3, timeout: 300_000 }, async (t) => {
  const s3 = await startS3()
  const proxy = await startS3Proxy(s3.endpoint)
  const ground = await startGround({}, { SVC_MEDIA_URL: s3.url('received', proxy.endpoint), ...s3.env })
  t.after(async () => {
    await ground.stop()
    await proxy.stop()
    await s3.stop()
  })
  const { gateway, sandbox, receiver } = ground
  await sandbox.createContact(ANA, { name: 'Ana' })
  const instance = await gateway.connected(sandbox, PHONE, receiver)
  const hashes = new Map<string, string>()
  for (let kill = 0; kill < KILLS; kill++) {
    proxy.mood = kill % 2 === 0 ? 'away' : 'slow'
    for (let index = 0; index < FILES_EACH; index++) {
      const bytes = randomBytes(index === 0 ? 6_000_000 : 50_000)
      const { id } = await sandbox.send(ANA, PHONE, {
        document: bytes.toString('base64'),
        mime: 'application/pdf',
        file_name: 'a.pdf',
      })
      hashes.set(String(id), sha256(bytes))
    }
    await pause(Math.random() * 1_500)
    await ground.service.kill()
    await ground.start()
  }
  proxy.mood = 'well'
  for (const [id, hash] of hashes) {
    const event = await receiver.waitFor('the event', ({ type, message_id }) => type === 'received' && message_id === id, 60_000)
    const { url } = event.document as { url: string }
    await until('the link leads to the copy', async () => (await fetch(url, { redirect: 'manual' })).status === 302, 120_000)
    const copy = await fetch(url)
    assert.equal(new URL(copy.url).origin, proxy.endpoint)
    assert.equal(sha256(Buffer.from(await copy.arrayBuffer())), hash)
  }
  await gateway.waitForStatus(instance, 'connected')
})
