/**
 * Examples of events for the API description: at least one for each event type, and for `received` one per kind of
 * content.
 */
import type { EventType } from '../domain/events.ts'
import type { BlockName, ReceivedBlocks } from './received/blocks.ts'
import type { ChatPresence, Delivery, InstanceStatus, MessageStatus, Received } from './webhook-payloads.ts'

interface EventExample {
  name: string
  value: Record<string, unknown>
}

const envelope = (type: EventType) => ({
  type,
  event_id: '01JD3V8Q6ZP4M5T7X9K2B0C1DE',
  instance_id: '5f0b3c1e-7a0d-4c58-9a55-0e6a1f7c2b90',
  momment: 1767225600000,
})

const file = { url: 'https://gw.example.com/media/c2VhbGVkLWxpbms', file_size: 48213, download_error: null }
const referenced_message = { message_id: '3EB0EE97803A91FF2C0ED1', from_me: true, phone: '5511988887777', participant: null }
const time = '2026-01-31T12:00:00.000Z'
const contact = { display_name: 'Sales', vcard: 'BEGIN:VCARD\nVERSION:3.0\nFN:Sales\nEND:VCARD', phones: ['5511900001111'] }
const location = { latitude: -23.5645, longitude: -46.6527, name: 'Head office', address: 'Av. Paulista, 1000', url: null }
const frame = { message: 'Did you like it?', title: null, footer: 'Example Inc.' }
const links = { image_url: null, video_url: null, document_url: null }
const buttons = [{ id: '1', type: 'reply', label: 'Yes' } as const]
const order = {
  currency: 'BRL',
  reference_id: '4N8FCTW1WM6',
  order_request_id: null,
  order_status: 'pending',
  payment_status: null,
  total: 26,
  sub_total: 21,
  discount: 0,
  shipping: 5,
  tax: 0,
  products: [{ name: 'Mug', quantity: 2, value: 10.5, product_id: '5338924696127051', is_custom_item: false }],
}
const channel = { newsletter_id: '120363166555745933@newsletter', newsletter_name: 'Example news' }

const blocks: { [Name in BlockName]: ReceivedBlocks[Name] } = {
  text: { message: 'Hello', title: null, description: null, url: null },
  image: { ...file, mime_type: 'image/jpeg', caption: 'The receipt', width: 1200, height: 1600 },
  video: { ...file, mime_type: 'video/mp4', caption: null, seconds: 12, width: 720, height: 1280, gif: false, ptv: false },
  audio: { ...file, mime_type: 'audio/ogg; codecs=opus', ptt: true, seconds: 7 },
  document: { ...file, mime_type: 'application/pdf', file_name: 'invoice.pdf', title: 'Invoice', caption: null, page_count: 2 },
  sticker: { ...file, mime_type: 'image/webp', animated: false, width: 512, height: 512 },
  location,
  live_location: {
    latitude: -23.5645,
    longitude: -46.6527,
    accuracy_meters: 12,
    speed_mps: 1.4,
    bearing_degrees: 90,
    sequence: 3,
    caption: null,
  },
  contact,
  contacts: [contact, { ...contact, display_name: 'Finance' }],
  reaction: { value: '❤️', time, reaction_by: '5511988887777', referenced_message },
  poll: { question: 'Which day?', options: ['Monday', 'Tuesday'], poll_max_options: 1 },
  poll_vote: { poll_message_id: '3EB0EE97803A91FF2C0ED1', options: ['Monday'], unknown_options: 0 },
  buttons_response: { button_id: '1', message: 'Yes', carousel_card_index: null },
  flow_response: {
    name: 'address_message',
    message: 'Av. Paulista, 1000',
    params: { values: { address: 'Av. Paulista, 1000', city: 'Sao Paulo' } },
  },
  list_response: { selected_row_id: 'sales', title: 'Sales', message: 'New orders' },
  event: {
    name: 'Planning',
    description: 'Quarter goals',
    canceled: false,
    date_time: '2026-03-02T14:00:00.000Z',
    end_date_time: null,
    join_link: null,
    extra_guests_allowed: false,
    location: { name: 'Room 2', address: null, latitude: null, longitude: null },
  },
  event_response: { response: 'going', response_from: '5511988887777', time, referenced_message },
  product: {
    product_id: '7190654897637620',
    title: 'Mug',
    description: 'White, 300 ml',
    currency: 'BRL',
    price: 10.5,
    sale_price: null,
    retailer_id: 'MUG-01',
    url: null,
    product_image_count: 1,
    business_owner_phone: '5511900001111',
  },
  order: {
    order_id: '422508169684569',
    token: 'AR5d4yUr+DmSzeCR2kUtPEeMfS==',
    order_title: 'Mug',
    message: 'Please deliver today',
    item_count: 2,
    total: 21,
    currency: 'BRL',
    order_status: 'inquiry',
    seller_phone: '5511900001111',
  },
  buttons: { ...frame, ...links, buttons },
  list: {
    ...frame,
    button_label: 'Open',
    sections: [{ title: 'Departments', options: [{ id: 'sales', title: 'Sales', description: 'New orders' }] }],
  },
  carousel: {
    message: 'Our plans',
    cards: [
      {
        title: 'Basic',
        text: 'For one',
        footer: null,
        image_url: 'https://gw.example.com/media/c2VhbGVk',
        video_url: null,
        buttons,
      },
    ],
  },
  hydrated_template: { ...frame, template_id: '194837', ...links, location: null, buttons },
  pix_key: {
    currency: 'BRL',
    reference_id: '4N8FCTW1WM6',
    key: '6f0a3c1e-8a55-4c8e-9f7b-0d5d3f6c2b11',
    key_type: 'evp',
    merchant_name: 'Example Inc.',
  },
  review_and_pay: { order_type: 'ORDER', ...order },
  review_order: { ...order, order_status: 'shipped' },
  request_payment: { value: 21, currency: 'BRL', expires_at: time, request_phone: '5511988887777', note: 'For the mugs' },
  send_payment: { value: 21, currency: 'BRL', receiver_phone: '5511900001111', status: null, note: null },
  newsletter_admin_invite: { ...channel, text: 'Would you help me run this channel?', expires_at: time },
  newsletter_invite: { ...channel, text: null },
  group_invite: {
    group_id: '120363019502650977-group',
    group_name: 'Neighbours',
    invite_code: 'GZzCJ9aXkLm0123456789A',
    caption: null,
    expires_at: time,
  },
  pin: { action: 'pin', pin_duration_seconds: 604800, referenced_message },
  unsupported: { proto_type: 'unknownMessage' },
}

const common = {
  message_id: '3EB0796DC6B777C0C7CD',
  phone: '5511988887777',
  chat_lid: '81896604192873@lid',
  is_group: false,
  is_newsletter: false,
  broadcast: false,
  from_me: false,
  from_api: false,
  status: 'received' as const,
  chat_name: 'Ana',
  sender_name: 'Ana',
  photo: null,
  sender_photo: null,
  participant_phone: null,
  participant_lid: null,
  connected_phone: '5511900001111',
  reference_message_id: null,
  is_status_reply: false,
  is_edit: false,
  forwarded: false,
  view_once: false,
  waiting_message: false,
  message_expiration_seconds: null,
  mentions: [],
}

const group = { is_group: true, phone: '120363019502650977-group', chat_lid: null, chat_name: 'Neighbours' }
const inGroup = { ...common, ...group, participant_phone: '5511988887777', participant_lid: '81896604192873@lid' }

const others: Received[] = [
  {
    ...inGroup,
    message_type: 'notification',
    notification: 'group_participant_add',
    notification_parameters: ['5511977776666'],
  },
  { ...common, message_type: 'waiting_message', waiting_message: true },
]

const received = [...Object.entries(blocks).map(([name, block]) => ({ ...common, message_type: name, [name]: block })), ...others]

const delivery: Delivery = {
  message_id: '3EB0EE97803A91FF2C0ED1',
  id: '3EB0EE97803A91FF2C0ED1',
  svc_id: '01JD3V8Q6ZP4M5T7X9K2B0C1DE',
  operation: 'send.sendText',
  phone: '5511988887777',
  is_group: false,
  reference_message_id: null,
  status: 'sent',
  error_code: null,
  error_message: null,
  queued_at: time,
}
const usedUp: Delivery = {
  ...delivery,
  used_up_budgets: [{ period: 'day', limit: 20, used: 20, free_at: '2026-02-01T09:20:00.000Z', waiting: 14 }],
}
const failed: Delivery = {
  ...delivery,
  status: 'failed',
  error_code: 'phone_not_on_whatsapp',
  error_message: 'The number has no account on the network.',
}

const messageStatus: MessageStatus = {
  status: 'read',
  ids: ['3EB0EE97803A91FF2C0ED1'],
  phone: '5511988887777',
  chat_lid: '81896604192873@lid',
  is_group: false,
  participant_phone: null,
  participant_lid: null,
}
const connected: InstanceStatus = {
  status: 'connected',
  previous_status: 'connecting',
  connected: true,
  phone: '5511900001111',
  disconnect_reason: null,
  reason: null,
  status_reason: null,
}
const waiting: InstanceStatus = {
  status: 'qr',
  previous_status: 'starting',
  connected: false,
  phone: null,
  disconnect_reason: null,
  reason: 'Waiting for the QR code or pairing code to be accepted on the phone.',
  status_reason: 'pairing_required',
}
const chatPresence: ChatPresence = {
  phone: '5511988887777',
  chat_lid: '81896604192873@lid',
  is_group: false,
  status: 'composing',
  last_seen: null,
}

const shown = (type: EventType, name: string, body: object): EventExample => ({ name, value: { ...envelope(type), ...body } })

export const eventExamples: Readonly<Record<EventType, readonly EventExample[]>> = {
  received: received.map((body) => shown('received', body.message_type, body)),
  delivery: [
    shown('delivery', 'sent', delivery),
    shown('delivery', 'failed', failed),
    shown('delivery', 'used-up budget', usedUp),
  ],
  message_status: [shown('message_status', 'read', messageStatus)],
  instance_status: [shown('instance_status', 'connected', connected), shown('instance_status', 'qr', waiting)],
  chat_presence: [shown('chat_presence', 'composing', chatPresence)],
}
