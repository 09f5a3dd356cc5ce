import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { serveFiles } from '../harness/file-server.ts'
import * as files from '../harness/media-files.ts'
import { withoutFfmpeg } from '../harness/media-files.ts'
import { startWorld } from '../harness/world.ts'

const ANA = '5511988880001'
const MB = 1_048_576

const world = await startWorld()
const web = await serveFiles()
await world.sandbox.createContact(ANA, { name: 'Ana' })
const instance = await world.gateway.connected(world.sandbox, '5511999990000', world.receiver)
const other = await world.gateway.connected(world.sandbox, '5511999990001', world.receiver)
after(async () => {
  await web.stop()
  await world.stop()
})

type Fields = Record<string, unknown>
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

async function send(path: string, body: Fields): Promise<string> {
  const answer = await world.gateway.must(instance, 'POST', path, { phone: ANA, ...body })
  return String(answer.message_id)
}
const deliveryOf = (id: string, { receiver } = world) =>
  receiver.waitFor(`delivery of ${id}`, ({ type, message_id }) => type === 'delivery' && message_id === id, 120_000)

async function refused(path: string, body: Fields) {
  const delivery = await deliveryOf(await send(path, body))
  assert.equal(delivery.status, 'failed')
  return { code: delivery.error_code, message: String(delivery.error_message) }
}

const small = 'A'.repeat(400)
const large = 'A'.repeat(400_000)
const image = (value: string) => world.gateway.ask(instance, 'POST', '/send-image', { phone: ANA, image: value })
const codeOf = (answer: Awaited<ReturnType<typeof image>>) => (answer.body.error as { code: string } | undefined)?.code

for (const [name, text] of [
  ['small', small],
  ['large', large],
] as const)
  for (const [what, value] of [
    ['one bad character', `${text.slice(0, -4)}A*AA`],
    ['a space within a line', `${text.slice(0, 76)} ${text.slice(77)}`],
    ['padding in the middle', `${text.slice(0, 78)}==${text.slice(80)}`],
    ['a digit left over', text.slice(3)],
    ['no content', 'data:image/png;base64,'],
  ] as const)
    test(`base64 with ${what}, in a ${name} body, is media_invalid at once`, async () => {
      const answer = await image(value)
      assert.equal(answer.status, 400)
      assert.equal(codeOf(answer), 'media_invalid')
    })

test('inline media above its limit is media_invalid at once, one byte below it is taken', async () => {
  const answer = await image(base64(Buffer.alloc(16 * MB + 1)))
  assert.equal(answer.status, 400)
  assert.equal(codeOf(answer), 'media_invalid')
  assert.equal((await image(base64(Buffer.alloc(16 * MB)))).status, 200)
})

test('a bad field beside a bad medium is invalid_request with both named', async () => {
  const answer = await world.gateway.ask(instance, 'POST', '/send-image', { phone: ANA, image: '*', caption: 7 })
  const { code, details } = answer.body.error as { code: string; details: { issues: { path: string }[] } }
  assert.equal(code, 'invalid_request')
  assert.deepEqual(details.issues.map(({ path }) => path).sort(), ['caption', 'image'])
})

test('a zip that calls itself a picture', async () => {
  web.put('/photo.jpg', files.zip(), { 'content-type': 'image/jpeg' })
  const { code, message } = await refused('/send-image', { image: `${web.url}/photo.jpg` })
  assert.equal(code, 'media_invalid')
  assert.match(message, /application\/zip/)
})

test('a picture that says it has 60,000 by 60,000 pixels', async () => {
  const { code } = await refused('/send-image', { image: base64(files.pngHeader(60_000, 60_000)) })
  assert.equal(code, 'media_invalid')
})

test('a film that was cut off', { skip: withoutFfmpeg }, async () => {
  const film = await files.film('mp4')
  const { code, message } = await refused('/send-video', { video: base64(film.subarray(0, film.length - 2_000)) })
  assert.equal(code, 'media_invalid')
  assert.match(message, /cut off/)
})

for (const isTold of [true, false])
  test(`a document of 101 MB, its size ${isTold ? 'told' : 'not told'} beforehand`, async () => {
    const { code, message } = await refused('/send-document/bin', { document: web.zeros(`/big-${isTold}`, 101 * MB, isTold) })
    assert.equal(code, 'media_invalid')
    assert.match(message, /more than 100 MB/)
  })

test('a URL that answers 404 says so', async () => {
  const { code, message } = await refused('/send-image', { image: `${web.url}/nowhere.jpg` })
  assert.equal(code, 'media_download_failed')
  assert.match(message, /404/)
})

test('a URL that leads to an address that must not be reached', async () => {
  web.answer('/away', (response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end())
  const { code, message } = await refused('/send-image', { image: `${web.url}/away` })
  assert.equal(code, 'media_download_failed')
  assert.match(message, /private, loopback or reserved address, which is not allowed/)
})

test('a URL that drips holds up its own instance only', async () => {
  let image = ''
  const hasBegun = new Promise<void>((resolve) => {
    image = web.answer('/endless', (response) => {
      response.writeHead(200).write('x')
      resolve()
    })
  })
  const drip = await send('/send-image', { image })
  await hasBegun
  const text = await world.gateway.sendText(other, ANA, 'meanwhile')
  assert.equal((await deliveryOf(text.message_id)).status, 'sent')
  const seen = world.receiver.events('delivery').map(({ message_id }) => message_id)
  assert.ok(!seen.includes(drip), 'the drip had ended before the text left')
})

test('a URL that drips for too long is given up', async () => {
  // This test starts its own world, in which the time limit of downloads is shorter.
  const impatient = await startWorld({ env: { SVC_TEST_DOWNLOAD_MS: '1000' } })
  try {
    const { gateway, sandbox, receiver } = impatient
    await sandbox.createContact(ANA, { name: 'Ana' })
    const held = await gateway.connected(sandbox, '5511999990000', receiver)
    const { message_id } = await gateway.must(held, 'POST', '/send-image', { phone: ANA, image: web.drip('/drip', 200) })
    const delivery = await deliveryOf(String(message_id), impatient)
    assert.equal(delivery.error_code, 'media_download_failed')
    assert.match(String(delivery.error_message), /in time/)
  } finally {
    await impatient.stop()
  }
})
