import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { receivedEvent } from '../../../../workers/shard/translate/inbound/message.ts'
import { blockOf } from '../../../harness/received-event.ts'
import { ANA, testContext } from './context.ts'

type Quoted = proto.IMessage | undefined

async function answered(name: string | null, paramsJson: string | null, quotedMessage?: Quoted, text = 'Done') {
  const message = proto.Message.fromObject({
    interactiveResponseMessage: {
      body: { text },
      nativeFlowResponseMessage: { name, paramsJson, version: 3 },
      contextInfo: { stanzaId: '3EB0ASKED', quotedMessage },
    },
  })
  const context = testContext()
  const event = await receivedEvent(context, { key: { id: '3EB0A', remoteJid: ANA, fromMe: false }, message })
  assert.deepEqual(context.problems, [])
  assert.ok(event)
  return event.body
}

const flowOf = async (name: string | null, paramsJson: string | null) =>
  blockOf(await answered(name, paramsJson), 'flow_response')

test('an answer that is no press of a button or a row has the name of its flow and what was filled in', async () => {
  for (const name of ['flow', 'galaxy_message', 'address_message', 'payment_method', 'no_such_flow', 'constructor']) {
    const params = { values: { city: 'Sao Paulo', floor: 3 }, tags: ['a', null, true], flow_token: 'x', id: 'form-1' }
    const body = await answered(name, JSON.stringify(params))
    assert.equal(body.message_type, 'flow_response')
    assert.equal(body.reference_message_id, '3EB0ASKED')
    assert.deepEqual(blockOf(body, 'flow_response'), { name, message: 'Done', params })
  }
})

test('what is no JSON object has no params', async () => {
  for (const paramsJson of [null, '', '{"a":', '[1]', '"text"', 'null'])
    assert.deepEqual(await flowOf('flow', paramsJson), { name: 'flow', message: 'Done', params: null })
})

test('buttons and rows are told as such by the name of the flow, or by the message they answer', async () => {
  const button = (params: object) => ({ name: 'quick_reply', buttonParamsJson: JSON.stringify(params) })
  const offer = { nativeFlowMessage: { buttons: [button({ display_text: 'Yes', id: 'y' })] } }
  const rows = [{ id: 'sales', title: 'Sales' }]
  const list = {
    nativeFlowMessage: { buttons: [{ name: 'single_select', buttonParamsJson: JSON.stringify({ sections: [{ rows }] }) }] },
  }
  const quotes: [string, Quoted, string][] = [
    ['y', { interactiveMessage: offer }, 'buttons_response'],
    ['y', { templateMessage: { interactiveMessageTemplate: offer } }, 'buttons_response'],
    ['y', { interactiveMessage: { carouselMessage: { cards: [offer] } } }, 'buttons_response'],
    ['sales', { interactiveMessage: list }, 'list_response'],
    ['sales', { templateMessage: { interactiveMessageTemplate: list } }, 'list_response'],
    ['other', { interactiveMessage: offer }, 'flow_response'],
  ]
  for (const [id, quoted, type] of quotes)
    assert.equal((await answered('mixed', JSON.stringify({ id }), quoted)).message_type, type, JSON.stringify(quoted))
  for (const name of ['quick_reply', 'cta_url', 'cta_call', 'cta_copy', '', null])
    assert.equal(blockOf(await answered(name, '{"id":"1"}'), 'buttons_response').button_id, '1', `${name}`)
  for (const name of ['single_select', 'menu_options'])
    assert.equal((await answered(name, '{"id":"1"}')).message_type, 'list_response')
  assert.equal((await answered('', '{"screen":"x"}')).message_type, 'flow_response', 'an answer without id or name')
})

test('what a stranger fills in is bounded', async () => {
  const nested = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
  const { params } = await flowOf('flow', nested)
  assert.ok(JSON.stringify(params).length < 200, 'the nesting is cut')
  const many = await flowOf('flow', JSON.stringify({ list: Array.from({ length: 50_000 }, (_, at) => at) }))
  assert.deepEqual((many.params?.list as unknown[] | undefined)?.length, 999)
  const long = await flowOf('flow', JSON.stringify({ a: 'x'.repeat(200_000), b: 'y'.repeat(10), c: 1 }))
  assert.deepEqual(long.params, { a: 'x'.repeat(65_536), b: '', c: 1 })
  const named = await flowOf('flow', `{"${'n'.repeat(1_000)}":1,"__proto__":2}`)
  assert.deepEqual(Object.keys(named.params ?? {}), ['n'.repeat(256), '__proto__'])
  const { name, message } = blockOf(await answered('f'.repeat(1_000), '{}', undefined, 'm'.repeat(5_000)), 'flow_response')
  assert.deepEqual([name.length, message?.length], [128, 1_024])
})

test('half of a character is none that a receiver could read', async () => {
  const { params } = await flowOf('flow', '{"\\ud800a":"b\\udc00"}')
  assert.deepEqual(params, { '\uFFFDa': 'b\uFFFD' })
})
