import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { receivedEvent } from '../../../../workers/shard/translate/inbound/message.ts'
import { blockOf } from '../../../harness/received-event.ts'
import { ANA, testContext } from './context.ts'

const LINK = 'https://api.example/media/link'
const links = { image_url: null, video_url: null, document_url: null }
const words = { header: { title: 'Summer' }, body: { text: 'New in the shop' }, footer: { text: 'Example Inc.' } }
const told = { message: 'New in the shop', title: 'Summer', footer: 'Example Inc.', ...links }
const flow = (name: string, params: object) => ({
  nativeFlowMessage: { buttons: [{ name, buttonParamsJson: JSON.stringify(params) }] },
})
const yes = flow('quick_reply', { display_text: 'Yes', id: 'y' })
const isYes = [{ id: 'y', type: 'reply', label: 'Yes' }]

async function bodyOf(content: proto.IMessage) {
  const message = proto.Message.decode(proto.Message.encode(proto.Message.fromObject(content)).finish())
  const event = await receivedEvent(testContext(), { key: { id: '3EB0A', remoteJid: ANA, fromMe: false }, message })
  assert.ok(event)
  return event.body
}

test('a text of a shop, of a collection and without any flow is a text without buttons', async () => {
  const contents: proto.Message.IInteractiveMessage[] = [
    words,
    { ...words, shopStorefrontMessage: { id: '1', surface: 3 } },
    { ...words, collectionMessage: { bizJid: ANA, id: '1' } },
    { ...words, ...flow('no_such_flow', {}) },
    { ...words, ...flow('constructor', {}) },
  ]
  for (const interactiveMessage of contents)
    assert.deepEqual(blockOf(await bodyOf({ interactiveMessage }), 'buttons'), { ...told, buttons: [] })
})

test('the picture above a text without buttons has its link', async () => {
  const imageMessage = { directPath: '/v/1', mediaKey: Buffer.alloc(32, 1) }
  const body = await bodyOf({ interactiveMessage: { header: { imageMessage }, body: { text: 'See' } } })
  assert.deepEqual(blockOf(body, 'buttons'), {
    message: 'See',
    title: null,
    footer: null,
    ...links,
    image_url: LINK,
    buttons: [],
  })
})

test('an interactive message of a kind that nobody here knows is unsupported', async () => {
  const body = await bodyOf({ interactiveMessage: {} })
  assert.deepEqual(blockOf(body, 'unsupported'), { proto_type: 'interactiveMessage' })
})

test('an interactive template keeps its id, with buttons and without', async () => {
  for (const [more, buttons] of [
    [{}, []],
    [yes, isYes],
  ] as const) {
    const body = await bodyOf({
      templateMessage: { templateId: '790118069824606', interactiveMessageTemplate: { ...words, ...more } },
    })
    assert.deepEqual(blockOf(body, 'hydrated_template'), {
      ...told,
      template_id: '790118069824606',
      location: null,
      buttons,
    })
  }
})

test('an interactive template has the place of its header, and what surrounds it', async () => {
  const body = await bodyOf({
    templateMessage: {
      interactiveMessageTemplate: {
        header: { locationMessage: { degreesLatitude: 1.5, degreesLongitude: 2.5, name: 'Shop' } },
        body: { text: 'Come' },
        contextInfo: { stanzaId: '3EB0', isForwarded: true },
      },
    },
  })
  const { location, template_id } = blockOf(body, 'hydrated_template')
  assert.deepEqual(location, { latitude: 1.5, longitude: 2.5, name: 'Shop', address: null, url: null })
  assert.equal(template_id, null)
  assert.equal(body.reference_message_id, '3EB0')
  assert.equal(body.forwarded, true)
})

test('cards, lists and bills of an interactive template are told as what they are', async () => {
  const cards = await bodyOf({
    templateMessage: { interactiveMessageTemplate: { ...words, carouselMessage: { cards: [words] } } },
  })
  assert.equal(blockOf(cards, 'carousel').cards.length, 1)
  const list = await bodyOf({
    templateMessage: { interactiveMessageTemplate: { ...words, ...flow('single_select', { title: 'Open', sections: [] }) } },
  })
  assert.equal(blockOf(list, 'list').button_label, 'Open')
})

test('a template inside of its old form is told as a template', async () => {
  const hydratedTemplate = { hydratedContentText: 'Your code', templateId: '' }
  const body = await bodyOf({ highlyStructuredMessage: { hydratedHsm: { templateId: '7', hydratedTemplate } } })
  const { message, template_id, buttons } = blockOf(body, 'hydrated_template')
  assert.deepEqual({ message, template_id, buttons }, { message: 'Your code', template_id: '7', buttons: [] })
})
