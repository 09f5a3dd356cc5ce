/**
 * Calls of public clients of Z-API, the hosted gateway with which the dialect `zapi` is compatible. They were recorded
 * while the unchanged clients ran against this service. A text that begins with `$` is a placeholder: `$ana` for Ana's
 * number, `$question` for the id of Ana's message, or a value that an earlier call has stored (`keeps`). `$any` matches
 * every value that is not empty.
 */
export interface ClientCall {
  ask: string
  body?: Readonly<Record<string, unknown>>
  /** Values of the answer that later calls use: for each placeholder name, the field of the answer. */
  keeps?: Readonly<Record<string, string>>
  reads?: Readonly<Record<string, unknown>>
  arrives?: Readonly<Record<string, unknown>>
  /** Subject and members of the group on the network after the call. The account itself is one of the members. */
  group?: { subject: string; members: readonly string[] }
}

export interface Client {
  /**
   * Calls with which the client reads an image of the QR code, and the field of the answer that contains it. Absent if
   * the client cannot do this.
   */
  pairing?: { status?: string; code: string; field?: string }
  /** Calls that set the URL of the webhooks. Absent if the client cannot do this. */
  webhooks?: readonly ClientCall[]
  received: Readonly<Record<string, unknown>>
  calls: readonly ClientCall[]
  /** Path of the call that ends the session. The webhook `DisconnectedCallback` follows it. */
  end?: string
}

const post = (path: string, body: ClientCall['body'], more: Omit<ClientCall, 'ask' | 'body'> = {}): ClientCall => ({
  ask: `POST ${path}`,
  ...(body ? { body } : {}),
  ...more,
})

const put = (path: string, body: ClientCall['body'], more: Omit<ClientCall, 'ask' | 'body'> = {}): ClientCall => ({
  ask: `PUT ${path}`,
  ...(body ? { body } : {}),
  ...more,
})

const phone = '$ana'
const pdf = `data:application/pdf;base64,${Buffer.from('%PDF-1.4 bill').toString('base64')}`
const QUOTE = { contextInfo: { stanzaId: '$question' } }
const reaction = (text: string) => ({ reactionMessage: { text, key: { id: '$question', fromMe: false } } })
const contact = { kind: 'contact', proto: { contactMessage: { displayName: 'Ben' } } }
const place = (name: string, address?: string) => ({
  proto: {
    locationMessage: { degreesLatitude: -23.5, degreesLongitude: -46.6, name, ...(address === undefined ? {} : { address }) },
  },
})
const bill = (fileName: string, caption?: string) => ({
  media: { mime: 'application/pdf' },
  proto:
    caption === undefined
      ? { documentMessage: { fileName } }
      : { documentWithCaptionMessage: { message: { documentMessage: { fileName, caption } } } },
})

export const clients: Readonly<Record<string, Client>> = {
  // This client sends reactions and sets webhooks with its operation "Make API Call", in which the user writes the
  // fields.
  'the n8n node @z-api/n8n-nodes-zapi 0.1.8': {
    pairing: { code: 'GET /qr-code', field: 'qrCode' },
    webhooks: [put('/update-every-webhooks', { value: '$hook' })],
    received: { type: 'ReceivedCallback', phone, messageId: '$question' },
    calls: [
      post('/send-text', { phone, message: 'Wrong' }, { arrives: { text: 'Wrong' }, keeps: { sent: 'messageId' } }),
      {
        ask: 'DELETE /messages?phone=$ana&messageId=$sent&owner=true',
        arrives: { kind: 'revoke', proto: { protocolMessage: { key: { id: '$sent' } } } },
      },
      post('/read-message', { phone, messageId: '$question' }),
      post(
        '/send-text',
        { phone, message: 'On its way', messageId: '$question', delayMessage: 1 },
        { arrives: { proto: { extendedTextMessage: { text: 'On its way', ...QUOTE } } } },
      ),
      post('/send-image', { phone, image: '$small' }, { arrives: { media: { mime: 'image/png' } } }),
      post(
        '/send-document/pdf',
        { phone, document: pdf, fileName: 'bill.pdf', caption: 'Here' },
        { arrives: bill('bill.pdf', 'Here') },
      ),
      post('/send-sticker', { phone, sticker: '$small' }, { arrives: { kind: 'sticker', media: { mime: 'image/webp' } } }),
      post(
        '/send-location',
        { phone, latitude: '-23.5', longitude: '-46.6', title: 'Shop', address: 'Street 1' },
        { arrives: place('Shop', 'Street 1') },
      ),
      post('/send-contact', { phone, contactName: 'Ben', contactPhone: '$ben' }, { arrives: contact }),
      post(
        '/send-link',
        {
          phone,
          message: 'Read https://example.com/',
          linkImage: '$small',
          linkUrl: 'https://example.com/',
          linkTitle: 'A page',
          linkDescription: 'About',
        },
        { arrives: { proto: { extendedTextMessage: { title: 'A page', description: 'About' } } } },
      ),
      post(
        '/send-button-list',
        { phone, message: 'Pick', buttonList: { buttons: [{ label: 'One', id: '1' }] } },
        { arrives: { text: 'Pick' } },
      ),
      post(
        '/send-option-list',
        {
          phone,
          message: 'Pick',
          optionList: { title: 'Menu', buttonLabel: 'Open', options: [{ title: 'One', description: 'First', id: '1' }] },
        },
        { arrives: { proto: { interactiveMessage: { body: { text: 'Pick' } } } } },
      ),
      post('/send-reaction', { phone, messageId: '$question', reaction: '👍' }, { arrives: { proto: reaction('👍') } }),
      post(
        '/create-group',
        { groupName: 'Launch', phones: ['$ana'], autoInvite: true, description: 'About' },
        { keeps: { group: 'phone' } },
      ),
      post(
        '/add-participant',
        { groupId: '$group', phones: ['$ben'], autoInvite: true },
        { group: { subject: 'Launch', members: ['$ana', '$ben'] } },
      ),
      post('/add-admin', { groupId: '$group', phones: ['$ben'] }),
      post('/remove-admin', { groupId: '$group', phones: ['$ben'] }),
      post('/remove-participant', { groupId: '$group', phones: ['$ben'] }),
      post(
        '/update-group-name',
        { groupId: '$group', groupName: 'Launch 2' },
        { group: { subject: 'Launch 2', members: ['$ana'] } },
      ),
      post('/update-group-settings', {
        phone: '$group',
        adminOnlyMessage: true,
        adminOnlySettings: true,
        requireAdminApproval: true,
        adminOnlyAddMember: true,
      }),
      { ask: 'GET /group-metadata/$group', reads: { phone: '$group' } },
      post('/redefine-invitation-link/$group', undefined, { reads: { invitationLink: '$any' } }),
      post('/leave-group', { groupId: '$group' }),
      { ask: 'GET /chats?page=1&pageSize=15' },
      { ask: 'GET /contacts?page=1&pageSize=50' },
      { ask: 'GET /phone-exists/$ana', reads: { exists: true } },
      { ask: 'GET /queue?page=1&pageSize=100' },
      { ask: 'GET /device', reads: { phone: '$me' } },
    ],
    end: 'GET /disconnect',
  },

  'the n8n node n8n-nodes-zapi 0.1.0': {
    received: { type: 'ReceivedCallback' },
    calls: [
      post(
        '/send-text',
        { phone, message: 'On its way', delayMessage: 1, delayTyping: 1, messageId: '$question' },
        { arrives: { proto: { extendedTextMessage: { text: 'On its way', ...QUOTE } } } },
      ),
      // The picture is larger than 256 KB, so that another thread parses the body.
      post(
        '/send-image',
        { phone, image: '$picture', caption: 'Look', viewOnce: true },
        {
          arrives: {
            media: { mime: 'image/png' },
            proto: { viewOnceMessageV2: { message: { imageMessage: { caption: 'Look' } } } },
          },
        },
      ),
      post(
        '/send-document/pdf',
        { phone, document: pdf, caption: 'Here', fileName: 'bill' },
        { arrives: bill('bill.pdf', 'Here') },
      ),
      post('/send-sticker', { phone, sticker: '$small' }, { arrives: { kind: 'sticker', media: { mime: 'image/webp' } } }),
      post(
        '/send-location',
        { phone, title: 'Shop', address: 'Street 1', latitude: '-23.5', longitude: '-46.6' },
        { arrives: place('Shop', 'Street 1') },
      ),
      post(
        '/send-option-list',
        { phone, message: 'Pick', optionList: { title: 'Menu', buttonLabel: 'Open', options: [{ id: '1', title: 'One' }] } },
        { arrives: { proto: { interactiveMessage: { body: { text: 'Pick' } } } } },
      ),
    ],
  },

  'the n8n node and trigger n8n-nodes-zapi-icarodev 1.0.1': {
    pairing: { status: 'GET /status', code: 'GET /qr-code' },
    received: {
      type: 'ReceivedCallback',
      phone,
      isGroup: false,
      isStatusReply: false,
      messageId: '$question',
      text: { message: '$any' },
    },
    calls: [
      post('/send-text', { phone, message: 'Hello' }, { arrives: { text: 'Hello' } }),
      post(
        '/send-image',
        { phone, image: '$small', caption: 'Look' },
        { arrives: { proto: { imageMessage: { caption: 'Look' } } } },
      ),
      post('/send-contact', { phone, contactName: 'Ben', contactPhone: '$ben' }, { arrives: contact }),
      post(
        '/send-link',
        { phone, message: 'https://example.com/', linkUrl: 'https://example.com/', title: 'A page', linkDescription: 'About' },
        {
          arrives: {
            proto: { extendedTextMessage: { title: 'A page', description: 'About', matchedText: 'https://example.com/' } },
          },
        },
      ),
      post(
        '/send-poll',
        { phone, message: 'When?', options: ['Today', 'Later'] },
        {
          arrives: {
            text: 'When?',
            proto: { pollCreationMessageV3: { options: [{ optionName: 'Today' }, { optionName: 'Later' }] } },
          },
        },
      ),
      post('/send-reaction', { phone, messageId: '$question', reaction: '👍' }, { arrives: { proto: reaction('👍') } }),
      post('/read-message', { phone, messageId: '$question' }),
      post('/create-group', { groupName: 'Launch', phones: ['$ana'] }, { keeps: { group: 'phone' }, reads: { phone: '$any' } }),
      post(
        '/add-participant',
        { groupId: '$group', phones: ['$ben'] },
        { group: { subject: 'Launch', members: ['$ana', '$ben'] } },
      ),
      post('/leave-group', { groupId: '$group' }),
      { ask: 'GET /chats' },
      { ask: 'GET /contacts' },
      { ask: 'GET /restart' },
    ],
    end: 'GET /disconnect',
  },

  'the n8n node and trigger n8n-nodes-zedaapi 0.3.1': {
    pairing: { status: 'GET /status', code: 'GET /qr-code/image' },
    webhooks: [put('/update-every-webhooks', { value: '$hook', notifySentByMe: true }, { reads: { value: true } })],
    received: {
      type: '$any',
      phone,
      messageId: '$question',
      instanceId: '$any',
      momment: '$any',
      senderName: 'Ana',
      isGroup: false,
      fromMe: false,
    },
    calls: [
      post(
        '/send-text',
        { phone, delayMessage: 0, message: 'Wrong' },
        { arrives: { text: 'Wrong' }, keeps: { sent: 'messageId' } },
      ),
      // This client is a node of n8n. It sends the default values of all fields, and sends the fields of a deletion in
      // the body.
      {
        ask: 'DELETE /messages',
        body: { phone, messageId: '$sent', fromMe: true },
        arrives: { kind: 'revoke', proto: { protocolMessage: { key: { id: '$sent' } } } },
      },
      post(
        '/send-text',
        { phone, delayMessage: 0, message: 'On its way', messageId: '$question' },
        { arrives: { proto: { extendedTextMessage: { text: 'On its way', ...QUOTE } } } },
      ),
      post(
        '/send-image',
        { phone, delayMessage: 0, image: '$small', caption: 'Look', viewOnce: true },
        { arrives: { proto: { viewOnceMessageV2: { message: { imageMessage: { caption: 'Look' } } } } } },
      ),
      post(
        '/send-document',
        { phone, delayMessage: 0, document: pdf, fileName: 'bill.pdf', mimeType: 'application/pdf', caption: '' },
        { arrives: bill('bill.pdf') },
      ),
      post(
        '/send-location',
        { phone, delayMessage: 0, latitude: -23.5, longitude: -46.6, name: 'Shop', address: 'Street 1' },
        { arrives: place('Shop', 'Street 1') },
      ),
      post('/send-contact', { phone, delayMessage: 0, contactName: 'Ben', contactPhone: '$ben' }, { arrives: contact }),
      post(
        '/send-reaction',
        { phone, messageId: '$question', reaction: '👍', delayMessage: 0, delayTyping: 0, scheduledFor: '' },
        { arrives: { proto: reaction('👍') } },
      ),
      post(
        '/create-group',
        { groupName: 'Launch', phones: ['$ana'], autoInvite: true },
        { keeps: { group: 'phone' }, reads: { phone: '$any' } },
      ),
      post(
        '/add-participant',
        { groupId: '$group', phones: ['$ben'], autoInvite: true },
        { group: { subject: 'Launch', members: ['$ana', '$ben'] } },
      ),
      post(
        '/update-group-name',
        { groupId: '$group', groupName: 'Launch 2' },
        { group: { subject: 'Launch 2', members: ['$ana', '$ben'] } },
      ),
      post('/remove-participant', { groupId: '$group', phones: ['$ben'] }, { group: { subject: 'Launch 2', members: ['$ana'] } }),
      { ask: 'GET /group-metadata/$group', reads: { phone: '$group', subject: 'Launch 2' } },
      { ask: 'GET /groups?page=1&pageSize=100' },
      post('/group-invitation-link/$group', undefined, { reads: { invitationLink: '$any' } }),
      post('/leave-group', { groupId: '$group' }),
      post('/restart', undefined, { reads: { value: true } }),
    ],
    end: 'POST /disconnect',
  },

  'the Python library zapi-async (z-api-lib)': {
    pairing: { status: 'GET /status', code: 'GET /qr-code/image' },
    received: {
      type: 'ReceivedCallback',
      messageId: '$question',
      instanceId: '$any',
      phone,
      fromMe: false,
      momment: '$any',
      status: 'RECEIVED',
      chatName: '$any',
      senderName: 'Ana',
      connectedPhone: '$me',
      text: { message: '$any' },
    },
    calls: [
      post(
        '/send-text',
        { phone, message: 'Hello', delayMessage: 1, delayTyping: 1 },
        { arrives: { text: 'Hello' }, keeps: { sent: 'messageId' }, reads: { zaapId: '$any', messageId: '$any', id: '$any' } },
      ),
      post('/send-text', { phone, message: 'Hello, Ana', editMessageId: '$sent' }, { arrives: { text: 'Hello, Ana' } }),
      post(
        '/send-image',
        { phone, image: '$small', caption: 'Look', messageId: '$question', viewOnce: false },
        { arrives: { proto: { imageMessage: { caption: 'Look', ...QUOTE } } } },
      ),
      post(
        '/send-document',
        { phone, document: pdf, fileName: 'bill.pdf', caption: 'Here' },
        { arrives: bill('bill.pdf', 'Here') },
      ),
      post(
        '/send-location',
        { phone, latitude: -23.5, longitude: -46.6, name: 'Shop', address: 'Street 1' },
        { arrives: place('Shop', 'Street 1') },
      ),
      post('/send-contact', { phone, contactPhone: '$ben', contactName: 'Ben' }, { arrives: contact }),
      post('/send-reaction', { phone, messageId: '$question', reaction: '👍' }, { arrives: { proto: reaction('👍') } }),
      post(
        '/send-remove-reaction',
        { phone, messageId: '$question' },
        { arrives: { kind: 'reaction', proto: { reactionMessage: { key: { id: '$question' } } } } },
      ),
      post(
        '/send-button-list',
        { phone, message: 'Pick', buttonList: { buttons: [{ id: '1', label: 'One' }] } },
        { arrives: { text: 'Pick' } },
      ),
      post(
        '/send-poll',
        { phone, message: 'When?', poll: [{ name: 'Today' }, { name: 'Later' }], pollMaxOptions: 1 },
        {
          arrives: {
            text: 'When?',
            proto: { pollCreationMessageV3: { options: [{ optionName: 'Today' }, { optionName: 'Later' }] } },
          },
        },
      ),
      post(
        '/send-link',
        { phone, message: 'Read https://example.com/', url: 'https://example.com/', title: 'A page', description: 'About' },
        { arrives: { proto: { extendedTextMessage: { title: 'A page', description: 'About' } } } },
      ),
      post('/create-group', { groupName: 'Launch', phones: ['$ana'], autoInvite: true }, { keeps: { group: 'phone' } }),
      post(
        '/update-group-name',
        { groupId: '$group', groupName: 'Launch 2' },
        { group: { subject: 'Launch 2', members: ['$ana'] } },
      ),
      { ask: 'GET /groups' },
      post('/leave-group', { groupId: '$group' }),
    ],
    end: 'POST /disconnect',
  },

  'the JavaScript library z-api-sdk 0.0.1': {
    pairing: { status: 'GET /status', code: 'GET /qr-code/image' },
    webhooks: ['received', 'delivery', 'message-status', 'connected', 'disconnected'].map((name) =>
      put(`/update-webhook-${name}`, { value: '$hook' }, { reads: { value: true } }),
    ),
    received: { type: 'ReceivedCallback', phone, messageId: '$question', text: { message: '$any' } },
    calls: [
      post('/send-text', { phone, message: 'Wrong' }, { arrives: { text: 'Wrong' }, keeps: { sent: 'messageId' } }),
      {
        ask: 'DELETE /messages?phone=$ana&messageId=$sent&owner=true',
        arrives: { kind: 'revoke', proto: { protocolMessage: { key: { id: '$sent' } } } },
      },
      post(
        '/send-text',
        { phone, message: 'On its way', messageId: '$question', delayMessage: 1 },
        {
          arrives: { proto: { extendedTextMessage: { text: 'On its way', ...QUOTE } } },
          reads: { messageId: '$any', zaapId: '$any', id: '$any' },
        },
      ),
      post(
        '/send-image',
        { phone, image: '$small', caption: 'Look' },
        { arrives: { proto: { imageMessage: { caption: 'Look' } } } },
      ),
      post('/send-document/pdf', { phone, document: pdf, fileName: 'bill' }, { arrives: bill('bill.pdf') }),
      post(
        '/send-location',
        { phone, title: 'Shop', address: 'Street 1', latitude: '-23.5', longitude: '-46.6' },
        { arrives: place('Shop', 'Street 1') },
      ),
      post('/send-contact', { phone, contactName: 'Ben', contactPhone: '$ben' }, { arrives: contact }),
      post('/send-reaction', { phone, messageId: '$question', reaction: '👍' }, { arrives: { proto: reaction('👍') } }),
      post(
        '/send-remove-reaction',
        { phone, messageId: '$question' },
        { arrives: { kind: 'reaction', proto: { reactionMessage: { key: { id: '$question' } } } } },
      ),
      post('/read-message', { phone, messageId: '$question' }),
      post('/forward-message', { phone, messageId: '$question', messagePhone: '$ana' }, { arrives: { text: '$any' } }),
      post(
        '/send-poll',
        { phone, message: 'When?', poll: [{ name: 'Today' }, { name: 'Later' }] },
        { arrives: { text: 'When?' } },
      ),
      post('/create-group', { groupName: 'Launch', phones: ['$ana'], autoInvite: true }, { keeps: { group: 'phone' } }),
      post(
        '/add-participant',
        { groupId: '$group', phones: ['$ben'], autoInvite: true },
        { group: { subject: 'Launch', members: ['$ana', '$ben'] } },
      ),
      post('/add-admin', { groupId: '$group', phones: ['$ben'] }),
      post(
        '/update-group-name',
        { groupId: '$group', groupName: 'Launch 2' },
        { group: { subject: 'Launch 2', members: ['$ana', '$ben'] } },
      ),
      post('/remove-participant', { groupId: '$group', phones: ['$ben'] }, { group: { subject: 'Launch 2', members: ['$ana'] } }),
      post('/update-group-settings', { phone: '$group', adminOnlyMessage: true }),
      { ask: 'GET /group-metadata/$group', reads: { phone: '$group', subject: 'Launch 2' } },
      post('/redefine-invitation-link/$group', undefined, { reads: { invitationLink: '$any' } }),
      post('/leave-group', { groupId: '$group' }),
      { ask: 'GET /chats?page=1&pageSize=50' },
      { ask: 'GET /contacts?page=1&pageSize=100' },
      { ask: 'GET /phone-exists/$ana', reads: { exists: true } },
      { ask: 'GET /restart', reads: { value: true } },
    ],
    end: 'GET /disconnect',
  },
}
