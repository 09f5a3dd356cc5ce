import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Ack, Instance } from '../harness/gateway.ts'
import { must } from '../harness/http.ts'
import { parse, total } from '../harness/prometheus.ts'
import { noS3, type S3, startS3 } from '../harness/s3.ts'
import { until } from '../harness/until.ts'
import { startWorld, type World } from '../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
/** A file that is stored in three pieces. It contains a text that must not be readable in the bucket. */
const FILE = Buffer.concat([Buffer.from('not for the bucket '.repeat(10)), randomBytes(2_500_000)])

/**
 * Returns another URL of the same server. It simulates the public name of a server in a private network, which only
 * readers use.
 */
const forReaders = ({ endpoint }: S3) => endpoint.replace('127.0.0.1', 'localhost')

describe('a bucket', { skip: noS3 }, () => {
  let s3: S3
  let world: World
  let instance: Instance
  before(async () => {
    s3 = await startS3()
    world = await startWorld({
      own: true,
      env: {
        SVC_BLOBS_URL: s3.url('waiting'),
        SVC_MEDIA_URL: `${s3.url('received')}&public_endpoint=${encodeURIComponent(forReaders(s3))}`,
        ...s3.env,
      },
    })
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

  test('keeps media of waiting messages, which outlive an outage of the bucket and a start meanwhile, which hold up nothing else', async () => {
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

  test('gets copies of received files, also of those that arrived while it was away', async () => {
    const files = [Buffer.from('the bytes of a file '.repeat(1_000)), randomBytes(6_000_000)]
    const copies = () => s3.client('received').list('')
    const opened = (url: string) => fetch(url, { redirect: 'manual' })
    await s3.kill()
    const urls: string[] = []
    for (const file of files) {
      const sent = { document: file.toString('base64'), mime: 'text/html', file_name: 'Fatura ção.html' }
      const { id } = await world.sandbox.send(ANA, ME, sent)
      const event = await world.receiver.waitFor('the event', ({ type, message_id }) => type === 'received' && message_id === id)
      urls.push((event.document as { url: string }).url)
    }
    // As long as the copy is not in the bucket, the link downloads the file from WhatsApp's media host.
    const direct = await opened(urls[0]!)
    assert.equal(direct.status, 200)
    assert.deepEqual(Buffer.from(await direct.arrayBuffer()), files[0])
    assert.match(urls[0]!, new RegExp(`^${world.gateway.baseUrl}/media/`))

    await world.restartService(() => s3.start())
    assert.equal((await until(copies, (names) => names.length === 2, 60_000)).length, 2)
    for (const [index, url] of urls.entries()) {
      const redirect = await until(
        () => opened(url),
        ({ status }) => status === 302,
        20_000,
      )
      assert.equal(redirect.status, 302)
      const link = new URL(redirect.headers.get('location')!)
      assert.equal(link.origin, forReaders(s3))
      assert.equal(link.searchParams.get('X-Amz-Expires'), '86400')
      const copy = await fetch(link)
      assert.deepEqual(Buffer.from(await copy.arrayBuffer()), files[index])
      // The file is HTML. A browser must download it, and must not run its scripts.
      assert.equal(copy.headers.get('content-type'), 'application/octet-stream')
      assert.match(copy.headers.get('content-disposition')!, /^attachment; filename="Fatura __o\.html"/)
      link.searchParams.set('X-Amz-Expires', '604800')
      assert.equal((await fetch(link)).status, 403)
    }
    assert.equal((await opened(`${urls[0]}x`)).status, 404)
    const metrics = parse(await must<string>('GET', `${world.gateway.baseUrl}/metrics`))
    assert.equal(total(metrics, 'svc_media_copies_total', { result: 'copied' }), 2)
    assert.equal(total(metrics, 'svc_media_copies_total', { result: 'lost' }), 0)
    for (const name of await copies()) assert.match(name, new RegExp(`^\\d{4}-\\d\\d-\\d\\d/${instance.id}/[\\w-]{43}$`))

    await must('DELETE', `${world.gateway.baseUrl}/account/instances/${instance.id}`, undefined, world.gateway.account)
    assert.deepEqual(await until(copies, (names) => names.length === 0, 20_000), [])
  })

  test('loses media of waiting messages with their instance', async () => {
    const unpaired = await world.gateway.createInstance(null)
    await world.gateway.must(unpaired, 'POST', '/send-document', document())
    assert.equal((await stored()).length, 3)
    await must('DELETE', `${world.gateway.baseUrl}/account/instances/${unpaired.id}`, undefined, world.gateway.account)
    assert.deepEqual(await stored(), [])
  })
})
