/**
 * Test functions (`Tell` in `story.ts`) about received messages with buttons, rows, cards and amounts, and about the
 * answers to them.
 */
import { type Event, ME, type Story, type Tell } from './story.ts'

const flow = (name: string, params: object) => ({ name, buttonParamsJson: JSON.stringify(params) })
const native = (...buttons: object[]) => ({ nativeFlowMessage: { buttons, messageVersion: 1 } })
const send = (story: Story, proto: object, type: string, block: unknown, more: Event = {}) =>
  story.fromAna({ proto }, { message_type: type, [type]: block, ...more })
const noLinks = { image_url: null, video_url: null, document_url: null }

export const interactive = {
  /** Buttons in a native flow message, and buttons in the legacy format. */
  async buttons(story) {
    await send(
      story,
      {
        interactiveMessage: {
          header: { title: 'Order' },
          body: { text: 'Did you like it?' },
          footer: { text: 'Thanks' },
          ...native(
            flow('quick_reply', { display_text: 'Yes', id: '1' }),
            flow('cta_url', { display_text: 'Site', url: 'https://x.example' }),
            flow('cta_call', { display_text: 'Call', phone_number: '+5511900001111' }),
            flow('cta_copy', { display_text: 'Copy', id: 'c', copy_code: '482913' }),
            { name: 'quick_reply', buttonParamsJson: '{"display_text":' },
            flow('no_such_button', { display_text: 'Hidden' }),
          ),
        },
      },
      'buttons',
      {
        message: 'Did you like it?',
        title: 'Order',
        footer: 'Thanks',
        ...noLinks,
        buttons: [
          { id: '1', type: 'reply', label: 'Yes' },
          { id: '2', type: 'url', label: 'Site', url: 'https://x.example' },
          { id: '3', type: 'call', label: 'Call', phone: '5511900001111' },
          { id: 'c', type: 'copy', label: 'Copy', code: '482913' },
          { id: '5', type: 'reply', label: '' },
        ],
      },
    )
    await send(
      story,
      {
        viewOnceMessage: {
          message: {
            buttonsMessage: {
              contentText: 'Yes or no?',
              footerText: 'Choose',
              headerType: 1,
              buttons: [{ buttonId: 'y', buttonText: { displayText: 'Yes' }, type: 1 }],
            },
          },
        },
      },
      'buttons',
      { message: 'Yes or no?', title: null, footer: 'Choose', ...noLinks, buttons: [{ id: 'y', type: 'reply', label: 'Yes' }] },
    )
    for (const more of [
      {},
      { shopStorefrontMessage: { id: '1', surface: 3 } },
      { collectionMessage: { bizJid: '5511900001111@s.whatsapp.net', id: '1' } },
    ])
      await send(story, { interactiveMessage: { body: { text: 'New in the shop' }, ...more } }, 'buttons', {
        message: 'New in the shop',
        title: null,
        footer: null,
        ...noLinks,
        buttons: [],
      })
  },

  /** A list in a native flow message, and a list in the legacy format. */
  async list(story) {
    const rows = [
      { id: 'sales', title: 'Sales', description: 'New orders' },
      { id: 'help', title: 'Help', description: null },
    ]
    const block = {
      message: 'Pick a department',
      title: 'Hello',
      footer: null,
      button_label: 'Open',
      sections: [{ title: 'Departments', options: rows }],
    }
    await send(
      story,
      {
        interactiveMessage: {
          header: { title: 'Hello' },
          body: { text: 'Pick a department' },
          ...native(flow('single_select', { title: 'Open', sections: [{ title: 'Departments', rows }] })),
        },
      },
      'list',
      block,
    )
    await send(
      story,
      {
        listMessage: {
          title: 'Hello',
          description: 'Pick a department',
          buttonText: 'Open',
          listType: 1,
          sections: [
            {
              title: 'Departments',
              rows: [
                { rowId: 'sales', title: 'Sales', description: 'New orders' },
                { rowId: 'help', title: 'Help' },
              ],
            },
          ],
        },
      },
      'list',
      block,
    )
  },

  async carousel(story) {
    await send(
      story,
      {
        interactiveMessage: {
          body: { text: 'Our plans' },
          carouselMessage: {
            cards: [{ body: { text: 'Basic' }, ...native(flow('quick_reply', { display_text: 'Choose', id: 'b' })) }],
          },
        },
      },
      'carousel',
      {
        message: 'Our plans',
        cards: [
          {
            title: null,
            text: 'Basic',
            footer: null,
            image_url: null,
            video_url: null,
            buttons: [{ id: 'b', type: 'reply', label: 'Choose' }],
          },
        ],
      },
    )
  },

  async hydrated_template(story) {
    const url = 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp482913'
    await send(
      story,
      {
        templateMessage: {
          hydratedTemplate: {
            hydratedContentText: 'Your code is 482913',
            templateId: '790118069824606',
            hydratedButtons: [
              { index: 0, urlButton: { displayText: 'Copy code', url } },
              { index: 1, quickReplyButton: { displayText: 'Stop', id: 'stop' } },
            ],
          },
        },
      },
      'hydrated_template',
      {
        message: 'Your code is 482913',
        title: null,
        footer: null,
        template_id: '790118069824606',
        ...noLinks,
        location: null,
        buttons: [
          { id: '0', type: 'copy', label: 'Copy code', code: '482913' },
          { id: 'stop', type: 'reply', label: 'Stop' },
        ],
      },
    )
    for (const [more, buttons] of [
      [{}, []],
      [native(flow('quick_reply', { display_text: 'Yes', id: 'y' })), [{ id: 'y', type: 'reply', label: 'Yes' }]],
    ] as const)
      await send(
        story,
        { templateMessage: { templateId: '790118069824606', interactiveMessageTemplate: { body: { text: 'Hello' }, ...more } } },
        'hydrated_template',
        {
          message: 'Hello',
          title: null,
          footer: null,
          template_id: '790118069824606',
          ...noLinks,
          location: null,
          buttons,
        },
      )
  },

  async buttons_response(story) {
    const contextInfo = { stanzaId: '3EB0EE97803A91FF2C0ED1', participant: `${ME}@s.whatsapp.net` }
    const answered = { reference_message_id: '3EB0EE97803A91FF2C0ED1' }
    const block = { button_id: '1', message: 'Yes', carousel_card_index: null }
    await send(
      story,
      { buttonsResponseMessage: { selectedButtonId: '1', selectedDisplayText: 'Yes', type: 1, contextInfo } },
      'buttons_response',
      block,
      answered,
    )
    await send(
      story,
      { templateButtonReplyMessage: { selectedId: '1', selectedDisplayText: 'Yes', selectedCarouselCardIndex: 2, contextInfo } },
      'buttons_response',
      { ...block, carousel_card_index: 2 },
      answered,
    )
    const answer = (name: string, paramsJson: string) => ({
      interactiveResponseMessage: {
        body: { text: 'Yes' },
        nativeFlowResponseMessage: { name, paramsJson, version: 3 },
        contextInfo,
      },
    })
    await send(
      story,
      answer('quick_reply', '{"id":"1","carousel_card_index":0}'),
      'buttons_response',
      { ...block, carousel_card_index: 0 },
      answered,
    )
    await send(story, answer('quick_reply', '{"id":'), 'buttons_response', { ...block, button_id: '' }, answered)
  },

  async flow_response(story) {
    const params = { values: { city: 'Sao Paulo' }, flow_token: 'unused' }
    for (const [name, paramsJson, told] of [
      ['address_message', JSON.stringify(params), params],
      ['flow', JSON.stringify(params), params],
      ['galaxy_message', '{"values":', null],
      ['payment_method', '{"payment_method":"pix"}', { payment_method: 'pix' }],
    ] as const)
      await send(
        story,
        {
          interactiveResponseMessage: {
            body: { text: 'Sent' },
            nativeFlowResponseMessage: { name, paramsJson, version: 3 },
            contextInfo: { stanzaId: '3EB0EE97803A91FF2C0ED1', participant: `${ME}@s.whatsapp.net` },
          },
        },
        'flow_response',
        { name, message: 'Sent', params: told },
        { reference_message_id: '3EB0EE97803A91FF2C0ED1' },
      )
  },

  async list_response(story) {
    const answered = { reference_message_id: '3EB0EE97803A91FF2C0ED1' }
    const contextInfo = { stanzaId: '3EB0EE97803A91FF2C0ED1', participant: `${ME}@s.whatsapp.net` }
    const block = { selected_row_id: 'sales', title: 'Sales', message: 'New orders' }
    await send(
      story,
      {
        listResponseMessage: {
          title: 'Sales',
          description: 'New orders',
          listType: 1,
          singleSelectReply: { selectedRowId: 'sales' },
          contextInfo,
        },
      },
      'list_response',
      block,
      answered,
    )
    const rows = [{ id: 'sales', title: 'Sales', description: 'New orders' }]
    const quotedMessage = {
      interactiveMessage: { nativeFlowMessage: { buttons: [flow('single_select', { title: 'Open', sections: [{ rows }] })] } },
    }
    for (const [name, quote] of [
      ['menu_options', {}],
      ['anything', { quotedMessage }],
    ] as const)
      await send(
        story,
        {
          interactiveResponseMessage: {
            body: { text: 'Sales' },
            nativeFlowResponseMessage: { name, paramsJson: '{"id":"sales","description":"New orders"}', version: 3 },
            contextInfo: { ...contextInfo, ...quote },
          },
        },
        'list_response',
        block,
        answered,
      )
  },
} satisfies Record<string, Tell>
