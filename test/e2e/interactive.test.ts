import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { column } from '../harness/columns.ts'
import { chatOf } from '../harness/places.ts'
import { type Json, startStage } from '../harness/stage.ts'

const ME = '5511999990001'
const ANA = '5511988880011'
const BEN = '5511988880012'

const stage = await startStage(ME)
const { sandbox } = stage.world
await sandbox.createContact(ANA, { name: 'Ana' })
await sandbox.createContact(BEN, { name: 'Ben' })
const { id } = await sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, BEN, ME] })
const group = chatOf(id)
after(() => stage.world.stop())

interface Button {
  name: string
  params: Json
}
const interactiveOf = (proto: Json) => proto.interactiveMessage as Json
function buttonsOf(interactive: Json): Button[] {
  const flow = interactive.nativeFlowMessage as { buttons: { name: string; buttonParamsJson: string }[] }
  return flow.buttons.map(({ name, buttonParamsJson }) => ({ name, params: JSON.parse(buttonParamsJson) as Json }))
}
const textOf = (part: unknown) => (part as { text?: string } | undefined)?.text

const MIXED = {
  tag: 'biz',
  attrs: { actual_actors: '2', host_storage: '2' },
  content: [
    {
      tag: 'interactive',
      attrs: { type: 'native_flow', v: '1' },
      content: [{ tag: 'native_flow', attrs: { v: '9', name: 'mixed' } }],
    },
    { tag: 'quality_control', attrs: { source_type: 'third_party' } },
  ],
}
const BOT = { tag: 'bot', attrs: { biz_bot: '1' } }

function assertMixed(nodes: { tag: string; attrs: Record<string, string>; content?: unknown }[] | undefined, rest: unknown[]) {
  const [biz, ...others] = nodes ?? []
  const { privacy_mode_ts, ...attrs } = biz?.attrs ?? {}
  assert.deepEqual({ ...biz, attrs }, MIXED)
  const age = Date.now() / 1_000 - Number(privacy_mode_ts)
  assert.ok(age >= -1 && age < 600, `privacy_mode_ts ${privacy_mode_ts} is not now in seconds`)
  assert.deepEqual(others, rest)
}

const sendButtons = (phone: string, more: Json = {}) => ({
  phone,
  message: 'How can we help?',
  button_actions: [
    { type: 'reply', label: 'Yes', id: 'yes' },
    { type: 'URL', label: 'Site', url: 'https://example.com/?a=1' },
    { type: 'call', label: 'Call', phone: '+5511900001111' },
    { type: 'copy', label: 'Copy', code: 'A B+C' },
  ],
  ...more,
})

test('buttons of every kind arrive with title, footer, ids by position and their parameters', async () => {
  const { proto, nodes, text } = await stage.shown(
    '/send-buttons',
    sendButtons(ANA, { title: 'Support', footer: 'Example Inc.' }),
  )
  const interactive = interactiveOf(proto)
  assert.equal(text, 'How can we help?')
  assert.deepEqual(proto.messageContextInfo, { deviceListMetadata: {}, deviceListMetadataVersion: 2 })
  assert.deepEqual(interactive.header, { title: 'Support', hasMediaAttachment: false })
  assert.equal(textOf(interactive.body), 'How can we help?')
  assert.equal(textOf(interactive.footer), 'Example Inc.')
  const { messageParamsJson, messageVersion } = interactive.nativeFlowMessage as Json
  assert.deepEqual({ messageParamsJson, messageVersion }, { messageParamsJson: '', messageVersion: 1 })
  assert.deepEqual(buttonsOf(interactive), [
    { name: 'quick_reply', params: { display_text: 'Yes', id: 'yes' } },
    {
      name: 'cta_url',
      params: { display_text: 'Site', url: 'https://example.com/?a=1', merchant_url: 'https://example.com/?a=1' },
    },
    { name: 'cta_call', params: { display_text: 'Call', phone_number: '+5511900001111' } },
    { name: 'cta_copy', params: { display_text: 'Copy', id: '4', copy_code: 'A B+C' } },
  ])
  assertMixed(nodes, [BOT])
})

test('in a group there is no bot node', async () => {
  const { proto, nodes } = await stage.shown('/send-buttons', sendButtons(group), ANA)
  await stage.next(BEN)
  assert.equal(buttonsOf(interactiveOf(proto)).length, 4)
  assertMixed(nodes, [])
})

test('a link that copies a code is sent as the button that copies it', async () => {
  const url = 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=482%20913'
  const { proto } = await stage.shown('/send-buttons', {
    phone: ANA,
    message: 'Code',
    button_actions: [{ type: 'url', label: 'Copy', url, phone: 17 }],
  })
  assert.deepEqual(buttonsOf(interactiveOf(proto)), [
    { name: 'cta_copy', params: { display_text: 'Copy', id: '1', copy_code: '482 913' } },
  ])
})

test('reply buttons without a picture show the title', async () => {
  const { proto, nodes } = await stage.shown('/send-button-list', {
    phone: ANA,
    message: 'Did you like it?',
    title: 'Survey',
    footer: 'Thank you',
    button_list: { buttons: [{ label: 'Yes' }, { label: 'No', id: 'no' }] },
  })
  const interactive = interactiveOf(proto)
  assert.deepEqual(interactive.header, { title: 'Survey', hasMediaAttachment: false })
  assert.equal(textOf(interactive.footer), 'Thank you')
  assert.deepEqual(buttonsOf(interactive), [
    { name: 'quick_reply', params: { display_text: 'Yes', id: '1' } },
    { name: 'quick_reply', params: { display_text: 'No', id: 'no' } },
  ])
  assertMixed(nodes, [BOT])
})

test('the contact can press a button', async () => {
  const { id } = await stage.shown('/send-button-list', {
    phone: ANA,
    message: 'Sure?',
    button_list: { buttons: [{ label: 'Yes', id: 'sure' }] },
  })
  await stage.world.sandbox.send(ANA, ME, { button: { message_id: id, id: 'sure' } })
})

test('a code has its button, whose text is Copy code unless told', async () => {
  const { proto, nodes } = await stage.shown('/send-button-otp', { phone: ANA, message: 'Your code is 482913', code: '482913' })
  const interactive = interactiveOf(proto)
  assert.equal(textOf(interactive.body), 'Your code is 482913')
  assert.deepEqual(buttonsOf(interactive), [
    { name: 'cta_copy', params: { display_text: 'Copy code', id: '1', copy_code: '482913' } },
  ])
  assertMixed(nodes, [BOT])
  const other = await stage.shown('/send-button-otp', { phone: ANA, message: 'x', code: '1', button_text: 'Copiar' })
  assert.equal(buttonsOf(interactiveOf(other.proto))[0]?.params.display_text, 'Copiar')
})

for (const [type, given, key] of [
  ['evp', '6f0a3c1e-8a55-4c8e-9f7b-0d5d3f6c2b11', '6f0a3c1e-8a55-4c8e-9f7b-0d5d3f6c2b11'],
  ['CPF', '123.456.789-09', '12345678909'],
  ['cnpj', '12.ABC.345/01DE-35', '12ABC34501DE35'],
  ['phone', '5511900001111', '+5511900001111'],
  ['email', 'pay@example.com', 'pay@example.com'],
]) {
  test(`a Pix key of the type ${type} is shown as its card`, async () => {
    const { proto, nodes } = await stage.shown('/send-button-pix', {
      phone: ANA,
      pix_key: given,
      type,
      merchant_name: 'Example Inc.',
    })
    const interactive = interactiveOf(proto)
    assert.deepEqual(interactive.body, { text: '' })
    const [button, ...others] = buttonsOf(interactive)
    assert.deepEqual(others, [])
    assert.equal(button?.name, 'payment_info')
    const { reference_id, ...params } = button.params
    assert.match(String(reference_id), /^[0-9A-Z]{11}$/)
    const nothing = { value: 0, offset: 100 }
    assert.deepEqual(params, {
      currency: 'BRL',
      total_amount: nothing,
      type: 'physical-goods',
      order: {
        status: 'pending',
        subtotal: nothing,
        order_type: 'ORDER',
        items: [{ name: '', amount: nothing, quantity: 0, sale_amount: nothing }],
      },
      payment_settings: [
        { type: 'pix_static_code', pix_static_code: { merchant_name: 'Example Inc.', key, key_type: type?.toUpperCase() } },
      ],
      share_payment_status: false,
    })
    assert.deepEqual(nodes, [{ tag: 'biz', attrs: { native_flow_name: 'payment_info' } }])
  })
}

test('a Pix card goes to groups too, with the same node, and names Pix unless told', async () => {
  const { proto, nodes } = await stage.shown(
    '/send-button-pix',
    { phone: group, pix_key: 'a@b', type: 'email', mentions: [BEN] },
    ANA,
  )
  await stage.next(BEN)
  const settings = buttonsOf(interactiveOf(proto))[0]?.params.payment_settings as [{ pix_static_code: Json }]
  assert.equal(settings[0].pix_static_code.merchant_name, 'Pix')
  assert.equal(interactiveOf(proto).contextInfo, undefined, 'a card without text mentions nobody')
  assert.deepEqual(nodes, [{ tag: 'biz', attrs: { native_flow_name: 'payment_info' } }])
})

const optionList = (options: Json[]) => ({
  phone: ANA,
  message: 'Pick a department',
  footer: 'Example Inc.',
  option_list: { title: 'Departments', button_label: 'Open', options },
})

test('a list arrives with its button, section and rows, and a row can be chosen', async () => {
  const options = [{ id: 'sales', title: 'Sales', description: 'New orders' }, { title: 'Finance' }]
  const { id, proto, nodes } = await stage.shown('/send-option-list', optionList(options))
  const interactive = interactiveOf(proto)
  assert.equal(textOf(interactive.footer), 'Example Inc.')
  assert.deepEqual(buttonsOf(interactive), [
    {
      name: 'single_select',
      params: {
        title: 'Open',
        sections: [
          {
            title: 'Departments',
            rows: [
              { title: 'Sales', description: 'New orders', id: 'sales' },
              { title: 'Finance', description: '', id: '2' },
            ],
          },
        ],
      },
    },
  ])
  assertMixed(nodes, [BOT])
  await stage.world.sandbox.send(ANA, ME, { list_row: { message_id: id, row_id: '2' } })
})

test('a hundred rows arrive', async () => {
  const { proto } = await stage.shown(
    '/send-option-list',
    optionList(Array.from({ length: 100 }, (_, row) => ({ title: `row ${row}` }))),
  )
  const [section] = buttonsOf(interactiveOf(proto))[0]!.params.sections as [{ rows: Json[] }]
  assert.equal(section.rows.length, 100)
  assert.equal(section.rows[99]?.id, '100')
})

test('buttons can answer a message and mention people', async () => {
  const { id } = await stage.world.sandbox.send(BEN, `${group.replace('-group', '')}@g.us`, { text: 'who can help?' })
  await stage.next(ANA)
  await stage.world.receiver.waitFor(`received ${id}`, ({ type, message_id }) => type === 'received' && message_id === id)
  const { proto } = await stage.shown(
    '/send-buttons',
    {
      phone: group,
      message: `@${BEN} this way`,
      button_actions: [{ type: 'reply', label: 'Go' }],
      reply_to_message_id: id,
      mentions: [BEN],
    },
    ANA,
  )
  await stage.next(BEN)
  const { contextInfo, body } = interactiveOf(proto) as { contextInfo: Json; body: Json }
  assert.equal(contextInfo.stanzaId, id)
  assert.ok(JSON.stringify(contextInfo.quotedMessage).includes('who can help?'))
  const [mentioned] = contextInfo.mentionedJid as string[]
  assert.ok(String(body.text).startsWith(`@${mentioned?.split('@')[0]} `), `${body.text} names ${mentioned}`)
})

test('a refusal of the business apps ends in not_allowed, without a second try', async () => {
  await stage.world.sandbox.fault({ on: 'message', do: { ack_error: 405 }, times: 1 })
  const delivery = await stage.outcome('/send-buttons', sendButtons(ANA))
  assert.equal(delivery.error_code, 'not_allowed')
  await stage.world.sandbox.clearFaults()
})

test('channels and status take none of them', async () => {
  for (const phone of ['120363019502650977@newsletter', 'status@broadcast'])
    for (const [path, input] of [
      ['/send-buttons', sendButtons(phone)],
      ['/send-button-list', { phone, message: 'x', button_list: { buttons: [{ label: 'a' }] } }],
      ['/send-button-otp', { phone, message: 'x', code: '1' }],
      ['/send-button-pix', { phone, pix_key: 'a@b', type: 'email' }],
      ['/send-option-list', { ...optionList([{ title: 'a' }]), phone }],
    ] as const) {
      const { status, body } = await stage.world.gateway.ask(stage.instance, 'POST', path, input)
      assert.equal(status, 400)
      assert.equal((body.error as { code: string }).code, 'invalid_phone', path)
    }
})

const x = (length: number) => 'x'.repeat(length)
const reply = { type: 'reply', label: 'a' }
const buttons = (...button_actions: unknown[]) => ({ phone: ANA, message: 'x', button_actions })
const replies = (list: Json) => ({ phone: ANA, message: 'x', button_list: list })

const REFUSALS: [why: string, path: string, input: Json, at: string][] = [
  ['a button without label', '/send-buttons', buttons({ type: 'reply' }), 'button_actions.0.label'],
  ['an empty label', '/send-buttons', buttons({ ...reply, label: '' }), 'button_actions.0.label'],
  ['a label of 61', '/send-buttons', buttons({ ...reply, label: x(61) }), 'button_actions.0.label'],
  ['an id of 257', '/send-buttons', buttons({ ...reply, id: x(257) }), 'button_actions.0.id'],
  ['an empty id', '/send-buttons', buttons({ ...reply, id: '' }), 'button_actions.0.id'],
  ['a button without type', '/send-buttons', buttons({ label: 'a' }), 'button_actions.0.type'],
  ['a type that does not exist', '/send-buttons', buttons({ label: 'a', type: 'menu' }), 'button_actions.0.type'],
  ['a button that is no object', '/send-buttons', buttons('Yes'), 'button_actions.0'],
  ['a link without url', '/send-buttons', buttons({ type: 'url', label: 'a' }), 'button_actions.0.url'],
  ['a link that is no URL', '/send-buttons', buttons({ type: 'url', label: 'a', url: 'example' }), 'button_actions.0.url'],
  ['a call without phone', '/send-buttons', buttons({ type: 'call', label: 'a' }), 'button_actions.0.phone'],
  ['a call to 4 digits', '/send-buttons', buttons({ type: 'call', label: 'a', phone: '+1234' }), 'button_actions.0.phone'],
  [
    'a call to 21 digits',
    '/send-buttons',
    buttons({ type: 'call', label: 'a', phone: '1'.repeat(21) }),
    'button_actions.0.phone',
  ],
  ['a copy without code', '/send-buttons', buttons({ type: 'copy', label: 'a' }), 'button_actions.0.code'],
  ['a code of 1,025', '/send-buttons', buttons({ type: 'copy', label: 'a', code: x(1_025) }), 'button_actions.0.code'],
  ['an id twice', '/send-buttons', buttons({ ...reply, id: 'a' }, { ...reply, id: 'a' }), 'button_actions.1.id'],
  ['an id that is a position', '/send-buttons', buttons({ ...reply, id: '2' }, reply), 'button_actions.1.id'],
  ['no reply button', '/send-button-list', replies({ buttons: [] }), 'button_list.buttons'],
  ['11 reply buttons', '/send-button-list', replies({ buttons: Array.from({ length: 11 }, () => reply) }), 'button_list.buttons'],
  [
    'a reply id twice',
    '/send-button-list',
    replies({ buttons: [{ label: 'a' }, { label: 'b', id: '1' }] }),
    'button_list.buttons.1.id',
  ],
  [
    'picture and film',
    '/send-button-list',
    replies({ buttons: [reply], image: 'https://a.example/a.jpg', video: 'https://a.example/a.mp4' }),
    'button_list',
  ],
  ['a CPF of 10 digits', '/send-button-pix', { phone: ANA, pix_key: '1234567890', type: 'cpf' }, 'pix_key'],
  ['a CNPJ in lower case', '/send-button-pix', { phone: ANA, pix_key: '12abc34501de35', type: 'cnpj' }, 'pix_key'],
  ['a phone of 4 digits', '/send-button-pix', { phone: ANA, pix_key: '+1234', type: 'phone' }, 'pix_key'],
  ['an address with two @', '/send-button-pix', { phone: ANA, pix_key: 'a@b@c', type: 'email' }, 'pix_key'],
  ['a key that is no UUID', '/send-button-pix', { phone: ANA, pix_key: '6f0a3c1e', type: 'evp' }, 'pix_key'],
  ['no row', '/send-option-list', optionList([]), 'option_list.options'],
  ['101 rows', '/send-option-list', optionList(Array.from({ length: 101 }, () => ({ title: 'a' }))), 'option_list.options'],
  ['a row title of 101', '/send-option-list', optionList([{ title: x(101) }]), 'option_list.options.0.title'],
  [
    'a row description of 257',
    '/send-option-list',
    optionList([{ title: 'a', description: x(257) }]),
    'option_list.options.0.description',
  ],
  ['a row id twice', '/send-option-list', optionList([{ title: 'a' }, { title: 'b', id: '1' }]), 'option_list.options.1.id'],
]
for (const [why, path, input, at] of REFUSALS)
  test(`${path} refuses ${why}`, async () => {
    assert.deepEqual(column(await stage.refused(path, input), 'path'), [at])
  })
