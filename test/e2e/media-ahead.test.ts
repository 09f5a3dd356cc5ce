/**
 * The media of the next message in the queue are prepared while the network handles the message before it: in order,
 * only once, and not for a removed message.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import { column } from '../harness/columns.ts'
import { serveFiles } from '../harness/file-server.ts'
import type { Instance } from '../harness/gateway.ts'
import { must } from '../harness/http.ts'
import * as files from '../harness/media-files.ts'
import { until } from '../harness/until.ts'
import { startWorld } from '../harness/world.ts'

const ANA = '5511988880001'

let phones = 0
const world = await startWorld({ own: true })
const web = await serveFiles()
await world.sandbox.createContact(ANA, { name: 'Ana' })
after(async () => {
  await web.stop()
  await world.stop()
})
afterEach(() => world.sandbox.clearFaults())

async function connected(): Promise<{ instance: Instance; phone: string }> {
  const phone = `55119999000${String(phones++).padStart(2, '0')}`
  return { instance: await world.gateway.connected(world.sandbox, phone, world.receiver), phone }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const uploads = async () => (await world.sandbox.stats()).uploads
const uploaded = (wanted: number) => until(uploads, (count) => count === wanted)
const picture = (width: number) => files.image('jpeg', width, 100)

async function send(instance: Instance, image: Uint8Array | string): Promise<{ id: string; svcId: string }> {
  const body = { phone: ANA, image: typeof image === 'string' ? image : Buffer.from(image).toString('base64') }
  const { message_id, svc_id } = await world.gateway.must(instance, 'POST', '/send-image', body)
  return { id: String(message_id), svcId: String(svc_id) }
}

const outcome = (id: string) =>
  world.receiver.waitFor(`delivery of ${id}`, ({ type, message_id }) => type === 'delivery' && message_id === id, 40_000)
const isDelivered = (id: string) => world.receiver.events('delivery').some(({ message_id }) => message_id === id)

const slow = (ms: number) => world.sandbox.fault({ on: 'message', do: { delay_ms: ms }, times: 1 })

async function arrived(ids: readonly string[]) {
  const items = await world.sandbox.inbox(ANA)
  return items.filter(({ id }) => ids.includes(id)).map(({ id, media, repeats = 0 }) => ({ id, sha256: media?.sha256, repeats }))
}

test('the upload of an item is done before the network has acknowledged the item before, and happens once', async () => {
  const { instance } = await connected()
  const [one, two] = [await picture(111), await picture(112)]
  const before = await uploads()
  await slow(5_000)
  const first = await send(instance, one)
  const second = await send(instance, two)
  await uploaded(before + 2)
  assert.equal(isDelivered(first.id), false)
  assert.equal((await outcome(second.id)).status, 'sent')
  assert.deepEqual(await arrived([first.id, second.id]), [
    { id: first.id, sha256: sha256(one), repeats: 0 },
    { id: second.id, sha256: sha256(two), repeats: 0 },
  ])
  assert.equal(await uploads(), before + 2)
})

test('each of many items in a row is uploaded once', async () => {
  const { instance } = await connected()
  const before = await uploads()
  const sent: { id: string; sha256: string }[] = []
  for (let count = 0; count < 8; count++) {
    const image = await picture(170 + count)
    sent.push({ id: (await send(instance, image)).id, sha256: sha256(image) })
  }
  for (const { id } of sent) assert.equal((await outcome(id)).status, 'sent')
  assert.deepEqual(
    await arrived(sent.map(({ id }) => id)),
    sent.map((each) => ({ ...each, repeats: 0 })),
  )
  assert.equal(await uploads(), before + sent.length)
})

test('an item that comes while another is in flight is prepared, too, and a text is not kept waiting by it', async () => {
  const { instance } = await connected()
  const before = await uploads()
  await slow(3_000)
  const text = await world.gateway.sendText(instance, ANA, 'first')
  await until(
    () => world.gateway.must(instance, 'GET', '/queue'),
    ({ total }) => total === 1,
  )
  const second = await send(instance, web.put('/second.jpg', await picture(121)))
  await uploaded(before + 1)
  assert.equal(isDelivered(String(text.message_id)), false)
  assert.equal((await outcome(second.id)).status, 'sent')
})

test('a removed item is not sent, and the one behind it is prepared and sent with its own picture', async () => {
  const { instance } = await connected()
  const before = await uploads()
  await slow(5_000)
  const first = await send(instance, await picture(131))
  const removed = await send(instance, await picture(132))
  await uploaded(before + 2)
  await world.gateway.must(instance, 'DELETE', `/queue/${removed.svcId}`)
  const three = await picture(133)
  const third = await send(instance, three)
  await uploaded(before + 3)
  assert.equal(isDelivered(first.id), false)
  assert.equal((await outcome(third.id)).status, 'sent')
  const all = await arrived([first.id, removed.id, third.id])
  assert.deepEqual(column(all, 'id'), [first.id, third.id])
  assert.equal(all[1]!.sha256, sha256(three))
})

test('after a lost connection what was prepared is prepared again, and each item arrives', async () => {
  const { instance, phone } = await connected()
  const before = await uploads()
  await slow(60_000)
  const leaving = await world.sandbox.post<{ id: string }>('/expect', { match: { tag: 'message', from: 'client' }, wait_ms: 0 })
  const first = await send(instance, await picture(141))
  const two = await picture(142)
  const second = await send(instance, two)
  await uploaded(before + 2)
  await world.sandbox.get(`/expect/${leaving.id}?wait_ms=20000`)
  await world.sandbox.cut(phone)
  assert.equal((await outcome(second.id)).status, 'sent')
  assert.equal((await outcome(first.id)).status, 'sent')
  const all = await arrived([first.id, second.id])
  assert.deepEqual(column(all, 'id'), [first.id, second.id])
  assert.equal(all[1]!.sha256, sha256(two))
  // The first message is sent again with its stored upload. The media of the second one are uploaded again, because an
  // upload from an ended session is not used.
  assert.equal(await uploads(), before + 3)
})

test('an instance that is deleted while it prepares leaves nothing behind', async () => {
  const { instance } = await connected()
  const before = await uploads()
  await slow(4_000)
  const first = await send(instance, await picture(151))
  let comeOn: (() => void) | undefined
  const bytes = await picture(152)
  const url = web.answer('/late.jpg', (response) => {
    response.writeHead(200, { 'content-length': bytes.byteLength }).write(bytes.subarray(0, 100))
    comeOn = () => response.end(bytes.subarray(100))
  })
  const second = await send(instance, url)
  await until(async () => comeOn !== undefined, Boolean)
  await uploaded(before + 1)
  const { baseUrl, account } = world.gateway
  await must('DELETE', `${baseUrl}/account/instances/${instance.id}`, undefined, account)
  comeOn?.()
  const folder = join(world.dir, 'tmp')
  const left = () => readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  await until(left, (found) => found.every((entry) => !entry.isFile()))
  assert.equal(await uploads(), before + 1)
  assert.deepEqual(await arrived([second.id]), [])
  assert.equal(isDelivered(first.id), false)
})

test('what cannot be fetched is asked for once, and fails its item when its turn comes', async () => {
  const { instance } = await connected()
  let asked = 0
  const url = web.answer('/gone.jpg', (response) => {
    asked++
    response.writeHead(404).end()
  })
  await slow(4_000)
  const first = await send(instance, await picture(161))
  const second = await send(instance, url)
  await until(
    async () => asked,
    (count) => count === 1,
  )
  assert.equal(isDelivered(second.id), false)
  const { status, error_code } = await outcome(second.id)
  assert.deepEqual([status, error_code], ['failed', 'media_download_failed'])
  assert.ok(isDelivered(first.id))
  assert.equal(asked, 1)
})
