import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { column } from '../harness/columns.ts'
import { chatOf } from '../harness/places.ts'
import type { InboxItem } from '../harness/sandbox.ts'
import { type Json, startStage } from '../harness/stage.ts'

const ME = '5511999990004'
const ANA = '5511988880041'
const SHOP = '5511988880042'

const picture = (background: string, width = 64) =>
  sharp({ create: { width, height: 48, channels: 3, background } })
    .jpeg()
    .toBuffer()

/** Makes a JPEG of random noise. Noise cannot be compressed well, so the file has about one byte per pixel. */
function largePicture(): Promise<Buffer> {
  const [width, height] = [900, 700]
  const noise = randomBytes(width * height * 3)
  return sharp(noise, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 95 })
    .toBuffer()
}

const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0
async function shortFilm(): Promise<Buffer> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-film-'))
  const path = join(dir, 'film.mp4')
  const source = ['-f', 'lavfi', '-i', 'testsrc=duration=1:size=64x48:rate=10']
  const form = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-movflags', '+faststart']
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', ...source, ...form, path])
  assert.equal(status, 0, String(stderr))
  const bytes = await readFile(path)
  await rm(dir, { recursive: true })
  return bytes
}
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const pages = new Map<string, Buffer>()
const server = createServer((request, response) => {
  const body = pages.get(request.url ?? '')
  response.writeHead(body ? 200 : 404, { 'content-type': 'image/jpeg' }).end(body)
})
function served(name: string, bytes: Buffer): string {
  pages.set(`/${name}`, bytes)
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`
}

await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const stage = await startStage(ME)
const { sandbox } = stage.world
await sandbox.createContact(ANA, { name: 'Ana' })
await sandbox.createContact(SHOP, { name: 'Shop', business: true })
const { id } = await sandbox.createGroup({ subject: 'Buyers', owner: ANA, participants: [ANA, ME] })
const group = chatOf(id)
after(async () => {
  await stage.world.stop()
  await new Promise((resolve) => server.close(resolve))
})

function assertPictures({ inner_media }: InboxItem, ...pictures: Buffer[]) {
  assert.deepEqual(
    inner_media?.map(({ mime, bytes, sha256, error }) => ({ mime, bytes, sha256, error })),
    pictures.map((bytes) => ({
      mime: 'image/jpeg',
      bytes: bytes.length,
      sha256: hashOf(bytes),
      error: undefined,
    })),
  )
}
const interactiveOf = ({ proto }: InboxItem) =>
  proto.interactiveMessage as Json & { header: Json & { imageMessage: Json; videoMessage: Json } }

test('reply buttons can stand under a picture, and their title is then left out', async () => {
  const red = await picture('red')
  const item = await stage.shown('/send-button-list', {
    phone: ANA,
    message: 'Did you like it?',
    title: 'not shown',
    button_list: { image: served('red.jpg', red), buttons: [{ label: 'Yes' }] },
  })
  assertPictures(item, red)
  const { header } = interactiveOf(item)
  assert.equal(header.title, '')
  assert.equal(header.hasMediaAttachment, true)
  assert.equal(header.imageMessage.width, 64)
  assert.equal(header.imageMessage.height, 48)
  assert.ok(header.imageMessage.jpegThumbnail)
  assert.equal((item.nodes ?? []).length, 2)
})

test('reply buttons can stand under a film', { skip: hasFfmpeg ? false : 'no ffmpeg to make a film with' }, async () => {
  const film = await shortFilm()
  const item = await stage.shown(
    '/send-button-list',
    {
      phone: group,
      message: 'Watch',
      button_list: { video: film.toString('base64'), buttons: [{ label: 'Seen' }] },
    },
    ANA,
  )
  const [shown, ...others] = item.inner_media ?? []
  assert.deepEqual(others, [])
  assert.deepEqual([shown?.mime, shown?.sha256, shown?.error], ['video/mp4', hashOf(film), undefined])
  const { header } = interactiveOf(item)
  assert.equal(header.hasMediaAttachment, true)
  const { seconds, width, height } = header.videoMessage as Json
  assert.deepEqual({ seconds, width, height }, { seconds: 1, width: 64, height: 48 })
})

test('a code can stand under a picture that came with the request', async () => {
  const blue = await picture('blue')
  const item = await stage.shown('/send-button-otp', {
    phone: ANA,
    message: 'Your code',
    code: '482913',
    image: `data:image/jpeg;base64,${blue.toString('base64')}`,
  })
  assertPictures(item, blue)
})

const flowOf = (card: Json) =>
  (card.nativeFlowMessage as { buttons?: { name: string; buttonParamsJson: string }[] }).buttons?.map(
    ({ name, buttonParamsJson }) => ({ name, ...(JSON.parse(buttonParamsJson) as Json) }),
  ) ?? []

async function carousel(phone: string) {
  const pictures = await Promise.all([picture('red'), picture('green', 128), picture('blue'), picture('black')])
  const [red, green, blue, black] = pictures as [Buffer, Buffer, Buffer, Buffer]
  const item = await stage.shown(
    '/send-carousel',
    {
      phone,
      message: 'Our plans',
      carousel: [
        {
          text: 'Basic',
          title: 'One',
          footer: 'cheap',
          image: red.toString('base64'),
          buttons: [{ type: 'reply', label: 'Choose' }],
        },
        {
          text: 'Pro',
          image: served('green.jpg', green),
          buttons: [
            { type: 'url', label: 'Details', url: 'https://example.com/pro' },
            { type: 'reply', label: 'Choose', id: 'pro' },
            { type: 'call', label: 'Call', phone: '5511900001111' },
          ],
        },
        { text: 'None', image: `data:image/jpeg;base64,${blue.toString('base64')}` },
        { text: 'Last', image: black.toString('base64'), buttons: [{ type: 'reply', label: 'Choose' }] },
      ],
    },
    ANA,
  )
  assertPictures(item, ...pictures)
  const { body, carouselMessage } = interactiveOf(item) as unknown as {
    body: Json
    carouselMessage: { cards: (Json & { header: Json; body: Json })[]; messageVersion: number; carouselCardType: string }
  }
  assert.deepEqual(body, { text: 'Our plans' })
  assert.equal(carouselMessage.messageVersion, 1)
  assert.equal(carouselMessage.carouselCardType, 'HSCROLL_CARDS')
  const { cards } = carouselMessage
  assert.deepEqual(
    cards.map(({ header, body, footer }) => ({ title: header.title, text: body.text, footer, has: header.hasMediaAttachment })),
    [
      { title: 'One', text: 'Basic', footer: { text: 'cheap' }, has: true },
      { title: '', text: 'Pro', footer: undefined, has: true },
      { title: '', text: 'None', footer: undefined, has: true },
      { title: '', text: 'Last', footer: undefined, has: true },
    ],
  )
  assert.deepEqual(cards.map(flowOf), [
    [{ name: 'quick_reply', display_text: 'Choose', id: '1' }],
    [
      { name: 'cta_url', display_text: 'Details', url: 'https://example.com/pro', merchant_url: 'https://example.com/pro' },
      { name: 'quick_reply', display_text: 'Choose', id: 'pro' },
      { name: 'cta_call', display_text: 'Call', phone_number: '+5511900001111' },
    ],
    [],
    [{ name: 'quick_reply', display_text: 'Choose', id: '5' }],
  ])
  return item
}

test('cards with pictures by URL, data URL and base64 arrive in order, their ids counted across cards', async () => {
  const { id, nodes } = await carousel(ANA)
  assert.deepEqual(
    nodes?.map(({ tag }) => tag),
    ['biz', 'bot'],
  )
  await stage.world.sandbox.send(ANA, ME, { button: { message_id: id, id: '5' } })
})

test('cards arrive in groups too', async () => {
  const { nodes } = await carousel(group)
  assert.deepEqual(
    nodes?.map(({ tag }) => tag),
    ['biz'],
  )
})

test('one picture that cannot be fetched fails the whole carousel', async () => {
  const red = await picture('red')
  const gone = served('gone.jpg', red)
  pages.delete('/gone.jpg')
  const { status, error_code } = await stage.outcome('/send-carousel', {
    phone: ANA,
    message: 'x',
    carousel: [
      { text: 'a', image: red.toString('base64') },
      { text: 'b', image: gone },
    ],
  })
  assert.equal(status, 'failed')
  assert.equal(error_code, 'media_download_failed')
})

test('what is no picture ends in media_invalid', async () => {
  const image = Buffer.from('just a text, whatever it is called').toString('base64')
  const { error_code } = await stage.outcome('/send-button-otp', { phone: ANA, message: 'x', code: '1', image })
  assert.equal(error_code, 'media_invalid')
})

test('a card whose picture is no base64 is refused at once with media_invalid', async () => {
  const { status, body } = await stage.world.gateway.ask(stage.instance, 'POST', '/send-carousel', {
    phone: ANA,
    message: 'x',
    carousel: [{ text: 'a', image: 'not*base64' }],
  })
  assert.equal(status, 400)
  const { code, details } = body.error as { code: string; details: { issues: { path: string }[] } }
  assert.equal(code, 'media_invalid')
  assert.equal(details.issues[0]?.path, 'carousel.0.image')
})

const card = { text: 'a', image: 'https://cdn.example/a.jpg' }
const cards = (...carousel: unknown[]) => ({ phone: ANA, message: 'x', carousel })
const x = (length: number) => 'x'.repeat(length)
const REFUSALS: [why: string, input: Json, at: string][] = [
  ['a card without text', cards({ ...card, text: undefined }), 'carousel.0.text'],
  ['a card without picture', cards({ text: 'a' }), 'carousel.0.image'],
  ['a text of 1,025', cards({ ...card, text: x(1_025) }), 'carousel.0.text'],
  ['a title of 257', cards({ ...card, title: x(257) }), 'carousel.0.title'],
  ['a footer of 257', cards({ ...card, footer: x(257) }), 'carousel.0.footer'],
  [
    '4 buttons',
    cards({ ...card, buttons: Array.from({ length: 4 }, () => ({ type: 'reply', label: 'a' })) }),
    'carousel.0.buttons',
  ],
  [
    'an id of another card',
    cards(
      card,
      { ...card, buttons: [{ type: 'reply', label: 'a', id: '2' }] },
      { ...card, buttons: [{ type: 'reply', label: 'a' }] },
    ),
    'carousel.2.buttons.0.id',
  ],
]
for (const [why, input, at] of REFUSALS)
  test(`/send-carousel refuses ${why}`, async () => {
    assert.deepEqual(column(await stage.refused('/send-carousel', input), 'path'), [at])
  })

test('a product is described as its catalogue does, with its picture', async () => {
  const mug = await picture('brown', 100)
  const products = Array.from({ length: 120 }, (_, index) => ({
    id: String(7_190_654_897_000 + index),
    name: `Mug ${index}`,
    description: 'Holds coffee',
    price: 10.5,
    currency: 'BRL',
    retailer_id: `SKU-${index}`,
    url: 'https://example.com/mug',
    images: [served('mug.jpg', mug)],
  }))
  await stage.world.sandbox.business(SHOP, { products })
  // The product is on the third page of the catalog, which has 50 products per page.
  const item = await stage.shown('/send-product', { phone: ANA, catalog_phone: SHOP, product_id: '7190654897117' })
  assertPictures(item, mug)
  const { product, businessOwnerJid } = item.proto.productMessage as { product: Json; businessOwnerJid: string }
  assert.equal(businessOwnerJid, `${SHOP}@s.whatsapp.net`)
  const { productImage, ...told } = product
  assert.ok(productImage)
  assert.deepEqual(told, {
    productId: '7190654897117',
    title: 'Mug 117',
    description: 'Holds coffee',
    currencyCode: 'BRL',
    priceAmount1000: '10500',
    retailerId: 'SKU-117',
    url: 'https://example.com/mug',
    productImageCount: 1,
  })
  assert.deepEqual(item.nodes, [])
})

test('a product without price and picture is sent without them', async () => {
  await stage.world.sandbox.business(SHOP, { products: [{ id: '1', name: 'Advice' }] })
  const { proto } = await stage.shown('/send-product', { phone: group, catalog_phone: SHOP, product_id: '1' }, ANA)
  const { product } = proto.productMessage as { product: Json }
  assert.deepEqual(product, { productId: '1', title: 'Advice', productImageCount: 0 })
})

test('a product that is not in the catalogue, or of somebody without one, ends in product_not_found', async () => {
  for (const catalog_phone of [SHOP, ANA]) {
    const { error_code } = await stage.outcome('/send-product', { phone: ANA, catalog_phone, product_id: 'none' })
    assert.equal(error_code, 'product_not_found')
  }
})

test('large pictures in one request wait in the queue over a restart, and each card gets its own', async () => {
  const { world, instance } = stage
  const pictures = await Promise.all([largePicture(), largePicture(), largePicture()])
  await world.sandbox.setDown(true)
  await world.gateway.waitForStatus(instance, 'disconnected')
  const { message_id } = (await world.gateway.must(instance, 'POST', '/send-carousel', {
    phone: ANA,
    message: 'Large',
    carousel: pictures.map((bytes, index) => ({ text: `card ${index}`, image: bytes.toString('base64') })),
  })) as { message_id: string }
  await world.restartService()
  await world.sandbox.setDown(false)
  assert.equal((await stage.deliveryOf(message_id)).status, 'sent')
  assertPictures(await stage.next(ANA), ...pictures)
})
