/**
 * A call in the format of Z-API, the hosted gateway with which the dialect `zapi` is compatible. There is at least one
 * for each documented operation, and some have optional fields. `refused` is the answer, if the service refuses the
 * call.
 */
export interface TheirCall {
  route: string
  body?: unknown
  refused?: { status: number; why: RegExp }
}

const person = '5511988887777'
const other = '5511977776666'
const groupId = '120363019502650977-group'
const oldGroup = '5511999990000-1623281429'
const community = '120363186053925765'
const channel = '120363166555745933@newsletter'
const messageId = '3EB0EE97803A91FF2C0ED1'
const phone = person
const png = 'https://cdn.example/a.png'
const inline = 'data:image/png;base64,iVBORw0KGgo='
const hook = 'https://hooks.example/here'

const get = (path: string): TheirCall => ({ route: `GET ${path}` })
const post = (path: string, body: unknown = {}): TheirCall => ({ route: `POST ${path}`, body })
const put = (path: string, body: unknown = {}): TheirCall => ({ route: `PUT ${path}`, body })
const del = (path: string, body?: unknown): TheirCall => ({ route: `DELETE ${path}`, ...(body === undefined ? {} : { body }) })

const instance: TheirCall[] = [
  get('/qr-code'),
  get('/qr-code/image'),
  get('/phone-code/5511999990000'),
  get('/status'),
  get('/me'),
  get('/device'),
  get('/restart'),
  get('/restore-session'),
  get('/disconnect'),
  put('/update-name', { value: 'Support' }),
  put('/update-auto-read-message', { value: true }),
  put('/update-auto-read-status', { value: false }),
  put('/update-call-reject-auto', { value: true }),
  put('/update-call-reject-message', { value: 'Please write.' }),
  put('/profile-name', { value: 'Support' }),
  put('/profile-description', { value: 'We answer by text.' }),
  put('/profile-picture', { value: png }),
]

const texts: TheirCall[] = [
  post('/send-text', { phone, message: 'Hello' }),
  post('/send-text', { phone, message: 'Hello', delayMessage: 3, delayTyping: 2 }),
  post('/send-text', { phone, message: 'Yes', messageId }),
  post('/send-text', { phone: groupId, message: 'Yes', messageId, privateAnswer: true }),
  post('/send-text', { phone, message: 'Corrected', editMessageId: messageId }),
  post('/send-text', { phone: groupId, message: `Hello @${person}`, mentioned: [person] }),
  post('/send-text', { phone: groupId, message: `Hello @${person}`, mentioned: [Number(person)] }),
  {
    ...post('/send-text', { phone: groupId, message: 'Hello all', mentioned: [person, other] }),
    refused: { status: 400, why: /must appear in the text/ },
  },
  post('/send-text', {
    phone: groupId,
    message: 'See @120363019502650978-group',
    groupMentioned: [{ phone: '120363019502650978-group', subject: 'Sub' }],
  }),
  post('/send-text', { phone: '13135550002', message: 'Hello, assistant' }),
  post('/send-link', {
    phone,
    message: 'Read https://example.com',
    linkUrl: 'https://example.com',
    title: 'A page',
    linkDescription: 'About',
  }),
  post('/send-link', {
    phone,
    message: 'Read https://example.com',
    image: png,
    linkUrl: 'https://example.com',
    title: 'A page',
    linkDescription: 'About',
    linkType: 'LARGE',
  }),
  post('/send-link', {
    phone,
    message: 'Read https://example.com',
    url: 'https://example.com',
    title: 'A page',
    description: 'About',
  }),
]

const files: TheirCall[] = [
  post('/send-image', { phone, image: png, caption: 'A', viewOnce: false }),
  post('/send-image', { phone, image: inline, caption: 'A', viewOnce: true }),
  post('/send-image', { phone, image: png, messageId, delayMessage: 5 }),
  post('/send-video', { phone, video: 'https://cdn.example/a.mp4', caption: 'A', viewOnce: false }),
  post('/send-video', { phone, video: 'data:video/mp4;base64,AAAA', caption: 'A', viewOnce: true }),
  post('/send-audio', { phone, audio: 'https://cdn.example/a.mp3', viewOnce: false, waveform: true }),
  post('/send-audio', { phone, audio: 'data:audio/mpeg;base64,SUQz', waveform: false, delayTyping: 4 }),
  post('/send-document/pdf', { phone, document: 'https://cdn.example/a.pdf', fileName: 'A paper' }),
  post('/send-document/pdf', { phone, document: 'data:application/pdf;base64,JVBERi0=', fileName: 'A paper', caption: 'A' }),
  post('/send-document/pdf', { phone, caption: 'Corrected', editDocumentMessageId: messageId }),
  post('/send-gif', { phone, gif: 'https://cdn.example/a.mp4', caption: '' }),
  post('/send-gif', { phone, gif: 'data:video/mp4;base64,AAAA', caption: '' }),
  post('/send-ptv', { phone, ptv: 'https://cdn.example/a.mp4' }),
  post('/send-ptv', { phone, ptv: 'data:video/mp4;base64,AAAA' }),
  post('/send-sticker', { phone, sticker: png, stickerAuthor: 'Us' }),
  post('/send-sticker', { phone, sticker: inline, stickerAuthor: 'Us' }),
]

const contents: TheirCall[] = [
  post('/send-contact', { phone, contactName: 'Ana', contactPhone: other }),
  post('/send-contact', { phone, contactName: 'Ana', contactPhone: other, contactBusinessDescription: 'Sales' }),
  post('/send-contacts', {
    phone,
    contacts: [
      { name: 'Ana', phones: [person, other] },
      { name: 'Bia', businessDescription: 'Sales', phones: [other] },
    ],
  }),
  post('/send-location', { phone, title: 'Here', address: 'A street 1', latitude: '-23.0696347', longitude: '-50.4357913' }),
  post('/send-location', { phone, title: 'Here', address: 'A street 1', latitude: -23.07, longitude: -50.43, messageId }),
  post('/send-location', { phone, name: 'Here', address: 'A street 1', latitude: -23.07, longitude: -50.43 }),
  post('/send-poll', { phone, message: 'Which?', poll: [{ name: 'A' }, { name: 'B' }] }),
  post('/send-poll', { phone, message: 'Which?', pollMaxOptions: 1, poll: [{ name: 'A' }, { name: 'B' }] }),
  post('/send-poll-vote', { phone, pollMessageId: messageId, pollVote: [{ name: 'A' }] }),
  post('/send-event', {
    phone: groupId,
    event: {
      name: 'Planning',
      description: 'Goals',
      dateTime: '2026-04-29T09:30:53.309Z',
      location: { name: 'Room 2' },
      callLinkType: 'voice',
      canceled: false,
    },
  }),
  post('/send-edit-event', {
    phone: groupId,
    eventMessageId: messageId,
    event: { name: 'Planning', dateTime: '2026-04-30T09:30:53.309Z', location: { name: 'Room 3' }, canceled: true },
  }),
  post('/send-edit-event', {
    phone,
    eventMessageId: messageId,
    event: { name: 'Planning', description: 'Bring a pen', dateTime: '2026-04-30T09:30:53.309Z', canceled: false },
  }),
  post('/send-event-response', { phone: groupId, eventMessageId: messageId, eventResponse: 'GOING' }),
  post('/send-event-response', { phone: groupId, eventMessageId: messageId, eventResponse: 'NOT_GOING' }),
  post('/send-reaction', { phone, reaction: '❤️', messageId }),
  post('/send-remove-reaction', { phone, messageId }),
  post('/forward-message', { phone, messageId, messagePhone: other }),
  post('/pin-message', { phone, messageId, messageAction: 'pin', pinMessageDuration: '7_days' }),
  post('/pin-message', { phone, messageId, messageAction: 'unpin' }),
  post('/read-message', { phone, messageId }),
  del(`/messages?messageId=${messageId}&phone=${phone}&owner=true`),
  del(`/messages?messageId=${messageId}&phone=${phone}&owner=false`),
  del('/messages', { messageId, phone, owner: true }),
  del('/messages', { messageId, phone, fromMe: true }),
  post('/send-newsletter-admin-invite', { phone, adminInviteMessage: { newsletterId: channel, caption: 'Help me' } }),
]

const buttons = [
  { id: '1', label: 'Good' },
  { id: '2', label: 'Better' },
]
const card = (text: string) => ({
  text,
  image: png,
  buttons: [
    { id: '1', label: 'Open', url: 'https://example.com', type: 'URL' },
    { id: '2', label: 'Choose', type: 'REPLY' },
  ],
})

const interactive: TheirCall[] = [
  post('/send-button-list', { phone, message: 'Well?', buttonList: { buttons } }),
  post('/send-button-list', { phone, message: 'Well?', title: 'T', footer: 'F', delayMessage: 2, buttonList: { buttons } }),
  post('/send-button-list', { phone, message: 'Well?', buttonList: { image: png, buttons } }),
  post('/send-button-list', { phone, message: 'Well?', buttonList: { video: 'https://cdn.example/a.mp4', buttons } }),
  post('/send-button-list-image', { phone, message: 'Well?', buttonList: { image: png, buttons } }),
  post('/send-button-list-video', { phone, message: 'Well?', buttonList: { video: 'https://cdn.example/a.mp4', buttons } }),
  post('/send-button-actions', {
    phone,
    message: 'Well?',
    title: 'T',
    footer: 'F',
    buttonActions: [
      { id: '1', type: 'CALL', phone: other, label: 'Call' },
      { id: '2', type: 'URL', url: 'https://example.com', label: 'Open' },
    ],
  }),
  post('/send-button-actions', { phone, message: 'Well?', buttonActions: [{ id: '3', type: 'REPLY', label: 'Talk' }] }),
  post('/send-button-otp', { phone, message: 'Your code', code: '123456' }),
  post('/send-button-otp', { phone, message: 'Your code', code: '123456', image: png, buttonText: 'Copy' }),
  post('/send-button-pix', { phone, pixKey: '6f0a3c1e-8a55-4c8e-9f7b-0d5d3f6c2b11', type: 'EVP' }),
  post('/send-button-pix', { phone, pixKey: 'a@example.com', type: 'EMAIL', merchantName: 'Us' }),
  post('/send-option-list', {
    phone,
    message: 'Choose',
    optionList: {
      title: 'Options',
      buttonLabel: 'Open',
      options: [
        { id: '1', description: 'First', title: 'One' },
        { id: '2', description: 'Second', title: 'Two' },
      ],
    },
  }),
  post('/send-carousel', { phone, message: 'Cards', carousel: [card('One'), card('Two')] }),
  post('/send-message-carousel', { phone, message: 'Cards', carousel: [card('One'), card('Two')] }),
  post('/send-carousel', {
    phone,
    message: 'Cards',
    carousel: [
      { text: 'One', image: png },
      { text: 'Two', image: png },
    ],
    delayMessage: 1,
  }),
]

const order = {
  currency: 'BRL',
  discount: 10,
  tax: 10,
  shipping: 5,
  products: [{ productId: '23940797548900636', name: 'Mug', value: 10, quantity: 2 }],
}
const update = {
  phone,
  messageId,
  message: 'News',
  referenceId: '4N8FCTW1WM6',
  orderRequestId: '4N8FCTW22W4',
  orderStatus: 'processing',
}

const commerce: TheirCall[] = [
  post('/send-product', { phone, catalogPhone: other, productId: '7190654897637620' }),
  post('/send-catalog', { phone, catalogPhone: other }),
  post('/send-catalog', { phone, catalogPhone: other, translation: 'PT', message: 'Look', title: 'T', catalogDescription: 'D' }),
  post('/send-order', { phone, order: { currency: 'BRL', products: [{ name: 'Mug', value: 150, quantity: 1 }] } }),
  post('/send-order', {
    phone,
    order,
    paymentSettings: {
      pix: { key: '6f0a3c1e-8a55-4c8e-9f7b-0d5d3f6c2b11', keyType: 'randomKey', name: 'Us' },
      card: { enabled: true },
    },
  }),
  post('/order-status-update', { ...update, paymentStatus: 'pending', order }),
  post('/order-status-update', {
    ...update,
    orderStatus: 'shipped',
    order: { ...order, products: [{ ...order.products[0], isCustomItem: true, productId: 'custom-item-1' }] },
  }),
]

const status: TheirCall[] = [
  post('/send-text-status', { message: 'Today' }),
  post('/send-image-status', { image: png }),
  post('/send-image-status', { image: png, caption: 'Today' }),
  post('/send-video-status', { video: 'https://cdn.example/a.mp4' }),
  post('/send-video-status', { video: 'https://cdn.example/a.mp4', caption: 'Today' }),
  post('/reply-status-text', { phone, message: 'Nice', statusMessageId: messageId }),
  post('/reply-status-gif', { phone, gif: 'https://cdn.example/a.mp4', statusMessageId: messageId }),
  post('/reply-status-sticker', { phone, sticker: png, statusMessageId: messageId }),
]

const chats: TheirCall[] = [
  get('/chats'),
  get('/chats?page=1&pageSize=20'),
  get(`/chats/${phone}`),
  get(`/chats/${phone}?amount=1&lastMessageId=${messageId}`),
  get(`/chat/${phone}`),
  ...['archive', 'unarchive', 'pin', 'unpin', 'mute', 'unmute', 'read', 'unread', 'clear', 'delete'].map((action) =>
    post('/modify-chat', { phone, action }),
  ),
  ...['24_HOURS', '7_DAYS', '90_DAYS', 'OFF'].map((chatExpiration) => post('/send-chat-expiration', { phone, chatExpiration })),
  put(`/chats/${phone}/tags/10/add`),
  put(`/chats/${phone}/tags/10/remove`),
]

const contacts: TheirCall[] = [
  get('/contacts'),
  get('/contacts?page=1&pageSize=20'),
  get(`/contacts/${phone}`),
  get(`/profile-picture?phone=${phone}`),
  get(`/contacts/${phone}/metadata`),
  get(`/contacts/${phone}/profile-picture`),
  get(`/phone-exists/${phone}`),
  post('/phone-exists-batch', { phones: [person, other] }),
  post('/contacts/add', [
    { firstName: 'Ana', lastName: 'Sales', phone: person },
    { firstName: 'Bia', phone: other },
  ]),
  del('/contacts/remove', [person, other]),
  post('/contacts/modify-blocked', { phone, action: 'block' }),
  post('/contacts/modify-blocked', { phone, action: 'unblock' }),
  post(`/contacts/${phone}/report`),
]

const ofMembers = (path: string, more: object = {}): TheirCall[] => [
  post(path, { ...more, groupId, phones: [person, other] }),
  post(path, { ...more, groupId: oldGroup, phones: [person] }),
]
const ofCommunity = (path: string, more: object = {}): TheirCall =>
  post(path, { ...more, communityId: community, phones: [person] })

const groups: TheirCall[] = [
  get('/groups'),
  get('/groups?page=1&pageSize=10'),
  post('/create-group', { autoInvite: true, groupName: 'Launch', phones: [person, other] }),
  post('/create-group', { groupName: 'Launch', phones: [person, other], profileImage: png }),
  post('/update-group-name', { groupId, groupName: 'Launch 2' }),
  post('/update-group-name', { groupId: oldGroup, groupName: 'Launch 2' }),
  post('/update-group-photo', { groupId, groupPhoto: png }),
  post('/update-group-photo', { groupID: groupId, groupPhoto: png }),
  post('/update-group-description', { groupId, groupDescription: 'Daily notes' }),
  post('/update-group-settings', {
    phone: groupId,
    adminOnlyMessage: true,
    adminOnlySettings: true,
    requireAdminApproval: false,
    adminOnlyAddMember: true,
  }),
  post('/update-group-settings', { groupId: oldGroup, adminOnlyMessage: true }),
  ...ofMembers('/add-participant', { autoInvite: true }),
  ...ofMembers('/remove-participant'),
  ...ofMembers('/add-admin'),
  ...ofMembers('/remove-admin'),
  ...ofMembers('/approve-participant'),
  ...ofMembers('/reject-participant'),
  post('/leave-group', { groupId }),
  post('/leave-group', { groupId: oldGroup }),
  get(`/group-metadata/${groupId}`),
  get(`/light-group-metadata/${groupId}`),
  get('/group-invitation-metadata?url=https://chat.whatsapp.com/C1adgkdEGki7554BWDdMkd'),
  get(`/group-invitation-link/${groupId}`),
  post(`/group-invitation-link/${groupId}`),
  post(`/redefine-invitation-link/${groupId}`),
  get('/accept-invite-group?url=https://chat.whatsapp.com/C1adgkdEGki7554BWDdMkd'),
]

const communities: TheirCall[] = [
  get('/communities'),
  get('/communities?page=1&pageSize=10'),
  post('/communities', { name: 'Customers', description: 'News' }),
  get(`/communities-metadata/${community}`),
  post('/communities/link', { communityId: community, groupsPhones: [groupId] }),
  post('/communities/unlink', { communityId: community, groupsPhones: [groupId] }),
  post('/communities/settings', { communityId: community, whoCanAddNewGroups: 'admins' }),
  post('/communities/settings', { communityId: community, whoCanAddNewGroups: 'all' }),
  post('/update-community-description', { communityId: community, communityDescription: 'News' }),
  post('/update-community-photo', { communityId: community, communityPhoto: png }),
  post(`/redefine-invitation-link/${community}`),
  ofCommunity('/add-participant', { autoInvite: true }),
  ofCommunity('/remove-participant'),
  ofCommunity('/add-admin'),
  ofCommunity('/remove-admin'),
  del(`/communities/${community}`),
]

const newsletters: TheirCall[] = [
  get('/newsletter'),
  get(`/newsletter/metadata/${channel}`),
  post('/create-newsletter', { name: 'News', description: 'Weekly' }),
  post('/search-newsletter', { limit: 50, view: 'TRENDING', filters: { countryCodes: ['BR', 'AF'] }, searchText: 'News' }),
  post('/search-newsletter', { limit: '50', view: 'RECOMMENDED', filters: { countryCodes: ['BR'] } }),
  post('/update-newsletter-name', { id: channel, name: 'News 2' }),
  post('/update-newsletter-description', { id: channel, description: 'Monthly' }),
  post('/update-newsletter-picture', { id: channel, pictureUrl: png }),
  put('/follow-newsletter', { id: channel }),
  put('/unfollow-newsletter', { id: channel }),
  put('/mute-newsletter', { id: channel }),
  put('/unmute-newsletter', { id: channel }),
  del('/delete-newsletter', { id: channel }),
  post(`/newsletter/settings/${channel}`, { reactionCodes: 'basic' }),
  post(`/newsletter/settings/${channel}`, { reactionCodes: 'all' }),
  post(`/newsletter/accept-admin-invite/${channel}`),
  post(`/newsletter/revoke-admin-invite/${channel}`, { phone }),
  post(`/newsletter/remove-admin/${channel}`, { phone }),
  post(`/newsletter/transfer-ownership/${channel}`, { phone }),
  post(`/newsletter/transfer-ownership/${channel}`, { phone, quitAdmin: true }),
]

const list = [
  { action: 'add', phone: person },
  { action: 'remove', phone: other },
]
const privacy: TheirCall[] = [
  ...['/privacy/last-seen', '/privacy/photo', '/privacy/description'].flatMap((path) => [
    post(path, { visualizationType: 'ALL' }),
    post(path, { visualizationType: 'NONE' }),
    post(path, { visualizationType: 'CONTACT_BLACKLIST', contactsBlacklist: list }),
  ]),
  post('/privacy/group-add', { type: 'ALL' }),
  post('/privacy/group-add', { type: 'CONTACT_BLACKLIST', contactsBlacklist: list }),
  post('/privacy/online', { visualizationType: 'ALL' }),
  post('/privacy/online', { visualizationType: 'SAME_LAST_SEEN' }),
  post('/privacy/read-receipts?value=enable'),
  post('/privacy/read-receipts?value=disable'),
  ...['disable', 'hours24', 'days7', 'days90'].map((value) => post(`/privacy/messages-duration?value=${value}`)),
  ...['lastSeen', 'photo', 'description', 'groupAdd'].map((type) => get(`/privacy/disallowed-contacts?type=${type}`)),
  get('/disallowed-contacts?type=lastSeen'),
]

const product = {
  currency: 'BRL',
  description: 'White',
  images: [png],
  isHidden: false,
  name: 'Mug',
  price: 20,
  salePrice: 18,
  retailerId: '002',
  url: 'https://example.com',
}
const business: TheirCall[] = [
  get(`/business/profile?phone=${phone}`),
  post('/business/company-description', { value: 'Mugs' }),
  post('/business/company-address', { value: 'A street 1' }),
  post('/business/company-email', { value: 'a@example.com' }),
  post('/business/company-websites', { websites: ['https://example.com', 'https://example.org'] }),
  post('/business/categories', { categories: ['629412378414563'] }),
  {
    ...post('/business/categories', { categories: ['RESTAURANT'] }),
    refused: { status: 400, why: /must be the id of a category/ },
  },
  post('/business/hours', {
    timezone: 'America/Sao_Paulo',
    days: [
      { dayOfWeek: 'MONDAY', openTime: '08:00', closeTime: '12:00' },
      { dayOfWeek: 'MONDAY', openTime: '14:00', closeTime: '18:00' },
    ],
    mode: 'specificHours',
  }),
  post('/business/hours', { timezone: 'America/Sao_Paulo', days: [{ dayOfWeek: 'SUNDAY' }], mode: 'open24h' }),
  get('/business/available-categories'),
  get('/business/available-categories?query=food'),
  post('/catalogs/config', { cartEnabled: true }),
  get('/catalogs'),
  post('/catalogs', { nextCursor: 'AQHR' }),
  get(`/catalogs/${phone}`),
  get(`/catalogs/${phone}?nextCursor=AQHR`),
  post(`/catalogs/${phone}`, { nextCursor: 'AQHR' }),
  post('/products', product),
  post('/products', { ...product, id: '4741575945866725' }),
  post('/products', { ...product, images: png, price: '20', isHidden: 'false' }),
  post('/products', { ...product, retailerId: undefined, integrationId: '7' }),
  get('/products/4741575945866725'),
  del('/products/4741575945866725'),
  del('/product/4741575945866725'),
  get('/catalogs/collection'),
  get('/catalogs/collection?nextCursor=AQHR'),
  post('/catalogs/collection', { name: 'Sale', productIds: ['4741575945866725'] }),
  post('/catalogs/collection-edit/1072603710847740', { name: 'Sale 2' }),
  get(`/catalogs/collection-products/${phone}?collectionId=1072603710847740`),
  get(`/catalogs/collection-products/${phone}?collectionId=1072603710847740&nextCursor=AQHR`),
  post('/catalogs/collection/add-product', { collectionId: '1072603710847740', productIds: ['4741575945866725'] }),
  post('/catalogs/collection/remove-product', { collectionId: '1072603710847740', productIds: ['4741575945866725'] }),
  del('/catalogs/collection/1072603710847740'),
  get('/tags'),
  get('/business/tags/colors'),
  post('/business/create-tag', { name: 'New' }),
  post('/business/create-tag', { name: 'New', color: 1 }),
  post('/business/edit-tag/10', { name: 'Newer', color: '2' }),
  del('/business/tag/10'),
]

const queue: TheirCall[] = [
  get('/queue'),
  get('/queue?page=1&pageSize=100'),
  get('/queue/count'),
  del('/queue'),
  del('/queue/01JK3V8Q2M6T0Z4R7Y9B1C5D8F'),
]

const webhooks: TheirCall[] = [
  ...[
    'received',
    'delivery',
    'message-status',
    'chat-presence',
    'connected',
    'disconnected',
    'received-delivery',
    'receive',
    'status',
  ].map((name) => put(`/update-webhook-${name}`, { value: hook })),
  put('/update-every-webhooks', { value: hook, notifySentByMe: true }),
  put('/update-notify-sent-by-me', { notifySentByMe: true }),
]

/** Returns the calls with the expected refusal: the service has no such function (404), and gives the reason `why`. */
const without = (why: RegExp, ...calls: TheirCall[]): TheirCall[] =>
  calls.map((call) => ({ ...call, refused: { status: 404, why } }))
const absent: TheirCall[] = [
  ...without(/^The service keeps no messages\./, get(`/chat-messages/${phone}`)),
  ...without(/^The service keeps no notes about chats\./, post(`/chats/${phone}/notes`, { notes: 'A note' })),
  ...without(
    /^The service makes no calls\./,
    post('/send-call', { phone }),
    post('/send-call', { phone, callDuration: 5 }),
    get('/call-token'),
    get('/sip-info'),
    post('/sip-token'),
  ),
  ...without(
    /^Use POST \/order-status-update with paymentStatus\./,
    post('/order-payment-update', { ...update, paymentStatus: 'paid', order }),
  ),
  ...without(/^Use GET \/queue /, post('/queue', { pageSize: 20 })),
  ...without(
    /^The registration of a number is done in the WhatsApp app on the phone/,
    post('/mobile/registration-available', { ddi: '55', phone }),
    post('/mobile/request-registration-code', { ddi: '55', phone, method: 'sms' }),
    post('/mobile/respond-captcha', { captcha: 'AbC12' }),
    post('/mobile/confirm-registration-code', { code: '123456' }),
    post('/mobile/confirm-security-code', { code: '123456' }),
    post('/mobile/recovery-security-code'),
    get('/mobile/registration-status'),
  ),
  ...without(
    /^The email address and the code for two-step verification are settings of the account\./,
    get('/security/email'),
    post('/security/email', { email: 'a@b.example' }),
    post('/security/verify-email', { verificationCode: '123456' }),
    post('/security/email/remove'),
    get('/security/two-fa-code'),
    post('/security/two-fa-code', { code: '123456' }),
    post('/security/two-fa-code/remove'),
  ),
  // On Z-API, partners use these calls to create and pay for single instances. In this service only a workspace has a
  // subscription.
  ...without(
    /^Single instances have no subscription\. POST \/account\/instances makes an instance/,
    post('/integrator/on-demand/subscription'),
    post('/integrator/on-demand/cancel'),
    put('/integrator/on-demand/subscription/update', { withCalls: true }),
  ),
  // The documentation of Z-API has errors in these calls. Some examples have the title of a page as their path, and one
  // has a wrong method. Z-API itself accepts `PUT /update-webhook-…`.
  ...(
    [
      ['chat-presence', 'chat-presence'],
      ['message-received', 'received'],
      ['message-send', 'delivery'],
      ['whatsapp-disconnected', 'disconnected'],
      ['whatsapp-message-status-changes', 'message-status'],
    ] as const
  ).flatMap(([page, name]) =>
    without(new RegExp(`Set the URL with PUT /update-webhook-${name}\\.$`), post(`/on-${page}`, { value: hook })),
  ),
  ...without(/^Use PUT for this path\.$/, post('/update-webhook-delivery', { value: hook })),
]

export const theirCalls: readonly TheirCall[] = [
  ...instance,
  ...texts,
  ...files,
  ...contents,
  ...interactive,
  ...commerce,
  ...status,
  ...chats,
  ...contacts,
  ...groups,
  ...communities,
  ...newsletters,
  ...privacy,
  ...business,
  ...queue,
  ...webhooks,
  ...absent,
]
