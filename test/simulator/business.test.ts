import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startSimulator } from '../harness/network.ts'
import { jidOf, pair, received } from './client.ts'

const PHONE = '491701234567'
const SHOP = '4915100000001'
const GRACE = '4915100000002'

const simulator = await startSimulator({ settings: { receipts: 'none' } })
simulator.control.createPhone({ phone: PHONE, name: 'Ada', platform: 'smba' })
simulator.control.updateBusiness(SHOP, {
  description: 'Tools',
  websites: ['https://example.com'],
  products: [
    { id: '1', name: 'Hammer', price: 12.5, currency: 'EUR' },
    { id: '2', name: 'Saw' },
  ],
  collections: [{ id: '9', name: 'Sale', product_ids: ['2'] }],
  orders: [
    { id: '77', token: 'dG9rZW4=', currency: 'EUR', items: [{ product_id: '1', name: 'Hammer', price: 12.5, quantity: 2 }] },
  ],
})
const client = await pair(simulator, PHONE)

after(async () => {
  await client.close()
  await simulator.stop()
})

test("a business' profile, catalog, collections and order are read", async () => {
  assert.equal((await client.socket.getBusinessProfile(jidOf(SHOP)))?.description, 'Tools')
  const first = await client.socket.getCatalog({ jid: jidOf(SHOP), limit: 1 })
  assert.deepEqual([first.products[0]?.name, first.products[0]?.price], ['Hammer', 12_500])
  const rest = await client.socket.getCatalog({ jid: jidOf(SHOP), limit: 1, cursor: first.nextPageCursor ?? '' })
  assert.deepEqual([rest.products[0]?.name, rest.nextPageCursor], ['Saw', undefined])
  const { collections } = await client.socket.getCollections(jidOf(SHOP))
  assert.deepEqual(
    collections.map(({ name, products }) => [name, products.length]),
    [['Sale', 1]],
  )
  const order = await client.socket.getOrderDetails('77', 'dG9rZW4=')
  assert.deepEqual([order.price.total, order.products[0]?.quantity], [25_000, 2])
})

test('the own profile and catalog are changed', async () => {
  await client.socket.updateBussinesProfile({ description: 'Engines', address: 'Rua A, 10' })
  assert.equal((await client.socket.getBusinessProfile(jidOf(PHONE)))?.description, 'Engines')
  const product = await client.socket.productCreate({
    name: 'Engine',
    description: '',
    price: 1_000,
    currency: 'EUR',
    images: [],
    isHidden: false,
    originCountryCode: undefined,
  })
  assert.equal(product.name, 'Engine')
  const edited = await client.socket.productUpdate(product.id, {
    name: 'Better engine',
    description: '',
    price: 2_000,
    currency: 'EUR',
    images: [],
  })
  assert.equal(edited.name, 'Better engine')
  assert.deepEqual(await client.socket.productDelete([product.id]), { deleted: 1 })
})

test('a community is made, gets a group and loses it', async () => {
  const made = await client.socket.communityCreate('Engineers', 'All of us')
  assert.ok(made?.isCommunity)
  const parent = made.id
  const all = Object.values(await client.socket.groupFetchAllParticipating()).filter((group) => group.linkedParent === parent)
  assert.deepEqual(all.map(({ isCommunityAnnounce }) => isCommunityAnnounce).sort(), [false, true])
  const group = await client.socket.groupCreate('Side', [jidOf(GRACE)])
  await client.socket.communityLinkGroup(group.id, parent)
  const linked = await client.socket.communityFetchLinkedGroups(parent)
  assert.equal(linked.linkedGroups.length, 3)
  assert.equal((await client.socket.groupMetadata(group.id)).linkedParent, parent)
  await client.socket.communityUnlinkGroup(group.id, parent)
  assert.equal((await client.socket.communityFetchLinkedGroups(parent)).linkedGroups.length, 2)
})

test('who may not be added comes back with an invitation', async () => {
  simulator.control.updateContact(GRACE, { group_add: 'none' })
  const group = await client.socket.groupCreate('By invitation', [])
  const [answer] = await client.socket.groupParticipantsUpdate(group.id, [jidOf(GRACE)], 'add')
  assert.equal(answer?.status, '403')
  const [request] = (answer?.content.content ?? []) as { tag: string; attrs: Record<string, string> }[]
  assert.equal(request?.tag, 'add_request')
  assert.ok(request?.attrs.code)
})

test('a blocked contact is not heard, and one that blocked us does not hear', async () => {
  const [deaf, mute] = ['4915100000011', '4915100000012']
  simulator.control.updateContact(deaf, { blocked_me: true })
  await client.socket.sendMessage(jidOf(deaf), { text: 'do you hear me?' })
  await client.socket.sendMessage(jidOf(mute), { text: 'and you?' })
  assert.equal((await simulator.control.inbox(mute, 0, 5_000)).items[0]?.text, 'and you?')
  assert.deepEqual((await simulator.control.inbox(deaf, 0, 0)).items, [])
  await client.socket.updateBlockStatus(jidOf(mute), 'block')
  await simulator.control.sendFromContact(mute, PHONE, { text: 'not heard' })
  await client.socket.updateBlockStatus(jidOf(mute), 'unblock')
  await simulator.control.sendFromContact(mute, PHONE, { text: 'heard' })
  await received(client, 'heard')
  assert.ok(!client.messages.some((message) => message.message?.conversation === 'not heard'))
})

test('a contact that takes more devices is written to on all of them', async () => {
  const received = () => {
    const contacts = simulator.control.state().contacts as { phone: string; devices: { received: number }[] }[]
    return contacts.find(({ phone }) => phone === GRACE)?.devices.map((device) => device.received)
  }
  await client.socket.sendMessage(jidOf(GRACE), { text: 'to one' })
  await client.until(() => received()?.join() === '1', 'the message on the phone')
  let told = 0
  client.socket.ws.on('CB:notification,type:devices', () => told++)
  simulator.control.updateContact(GRACE, { devices: 3 })
  await client.until(() => told === 2, 'word of both devices')
  await client.socket.sendMessage(jidOf(GRACE), { text: 'to three' })
  await client.until(() => received()?.join() === '2,1,1', 'the message on every device')
})

test('a client whose one-time keys run low uploads more', async () => {
  const stock = () => (simulator.control.state().phones as { devices: { pre_keys: number }[] }[])[0]?.devices[0]?.pre_keys ?? 0
  const content = Array.from({ length: stock() - 3 }, () => ({ tag: 'user', attrs: { jid: client.auth.creds.me?.id ?? '' } }))
  await client.socket.query({
    tag: 'iq',
    attrs: { xmlns: 'encrypt', type: 'get', to: '@s.whatsapp.net' },
    content: [{ tag: 'key', attrs: {}, content }],
  })
  await client.until(() => stock() >= 5, 'new keys')
})

test('privacy exceptions are kept by version', async () => {
  const set = (dhash: string) =>
    client.socket.query({
      tag: 'iq',
      attrs: { xmlns: 'privacy', type: 'set', to: '@s.whatsapp.net' },
      content: [
        {
          tag: 'privacy',
          attrs: { addressing_mode: 'lid' },
          content: [
            {
              tag: 'category',
              attrs: { name: 'last', value: 'contact_blacklist', dhash },
              content: [{ tag: 'user', attrs: { action: 'add', jid: `2${GRACE.padStart(14, '0')}@lid` } }],
            },
          ],
        },
      ],
    })
  await set('none')
  await assert.rejects(set('none'), { message: 'conflict' })
})

test('nothing was left unread and nothing unknown was asked', () => {
  const { undecryptable, unknown_queries } = simulator.control.stats()
  const failures = simulator.control.failures()
  assert.deepEqual({ undecryptable, unknown_queries, failures }, { undecryptable: 0, unknown_queries: [], failures: [] })
})
