/**
 * Tests that the media of waiting messages are stored in a bucket (`SVC_BLOBS_URL`) and sealed there. If the bucket is
 * unreachable, only messages with media are affected.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Ack, Instance } from '../harness/gateway.ts'
import { must } from '../harness/http.ts'
import { noS3, type S3, startS3 } from '../harness/s3.ts'
import { until } from '../harness/until.ts'
import { startWorld, type World } from '../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
/** A file of three pieces. It contains a text that must not be readable in the bucket. */
const FILE = Buffer.concat([Buffer.from('not for the bucket '.repeat(10)), randomBytes(2_500_000)])

describe('media of waiting messages in a bucket', { skip: noS3 }, () => {
  let s3: S3
  let world: World
  let instance: Instance
  before(async () => {
    s3 = await startS3()
    world = await startWorld({ own: true, env: { SVC_BLOBS_URL: s3.url('waiting'), ...s3.env } })
    await world.sandbox.createContact(ANA, { name: 'Ana' })
    instance = await world.gateway.connected(world.sandbox, ME, world.receiver)
  })
  after(async () => {
    await world?.stop()
    await s3?.stop()
  })

  const document = (more: object = {}) => ({
    phone: ANA,
    document: `data:application/octet-stream;base64,${FILE.toString('base64')}`,
    file_name: 'file.bin',
    ...more,
  })
  const stored = () => s3.client('waiting').list('')
  const delivered = ({ message_id }: Ack) =>
    world.receiver.waitFor('delivery', (event) => event.type === 'delivery' && event.message_id === message_id, 60_000)
  const warning = async () => (await must('GET', `${world.gateway.baseUrl}/health/ready`)).warning

  test('outlive an outage of the bucket and a start meanwhile, which hold up nothing else', async () => {
    const waiting = await world.gateway.must(instance, 'POST', '/send-document', document({ delay_message: 2 }))
    const keys = await stored()
    assert.equal(keys.length, 3, keys.join())
    assert.ok(keys.every((key) => key.startsWith(`${instance.id}/${waiting.svc_id}/`)))
    const { bytes } = await s3.client('waiting').request({ method: 'GET', key: keys[0] })
    assert.equal(Buffer.from(bytes).includes('not for the bucket'), false)

    await s3.kill()
    const refused = await world.gateway.ask(instance, 'POST', '/send-document', document())
    assert.equal(refused.status, 503, JSON.stringify(refused.body))
    assert.equal((await delivered(await world.gateway.sendText(instance, ANA, 'goes past'))).status, 'sent')
    await world.restartService()
    await world.gateway.waitForStatus(instance, 'connected')
    assert.match(String(await warning()), /^The bucket of SVC_BLOBS_URL cannot be used: /)
    assert.equal((await delivered(await world.gateway.sendText(instance, ANA, 'goes past again'))).status, 'sent')

    await s3.start()
    assert.equal((await delivered(waiting as unknown as Ack)).status, 'sent')
    const [arrived] = (await world.sandbox.inbox(ANA)).filter(({ media }) => media !== null)
    assert.equal(arrived?.media?.sha256, createHash('sha256').update(FILE).digest('hex'))
    assert.deepEqual(await until(stored, (left) => left.length === 0), [])
  })

  test('go with their instance', async () => {
    const unpaired = await world.gateway.createInstance(null)
    await world.gateway.must(unpaired, 'POST', '/send-document', document())
    assert.equal((await stored()).length, 3)
    await must('DELETE', `${world.gateway.baseUrl}/account/instances/${unpaired.id}`, undefined, world.gateway.account)
    assert.deepEqual(await stored(), [])
  })
})
