/**
 * The dialect `zapi`: the webhook body that receivers expect from the gateway Z-API. It has the fields of the event in
 * camelCase, some of them renamed or converted, and further fields of Z-API.
 */
import { camelCase, inCamelCase } from '../../../src/domain/camel-case.ts'

type Json = Readonly<Record<string, unknown>>

const part = (value: unknown) => (value ?? {}) as Json
const list = (value: unknown) => (value ?? []) as readonly unknown[]
const upper = (word: unknown) => (typeof word === 'string' ? word.toUpperCase() : word)
const millis = (iso: unknown) => (typeof iso === 'string' ? Date.parse(iso) : null)
const seconds = (iso: unknown) => (typeof iso === 'string' ? Math.floor(Date.parse(iso) / 1_000) : null)
const named = (options: unknown) => list(options).map((name) => ({ name }))

/** Removes fields that are null, because receivers expect them to be absent. */
const withoutNulls = (its: Json) => Object.fromEntries(Object.entries(its).filter(([, value]) => value !== null))

const file =
  (urlName: string, more: (its: Json) => object = () => ({})) =>
  (its: Json, event: Json) => ({ ...its, [urlName]: its.url, viewOnce: event.viewOnce, ...more(its) })

const withCaption = (its: Json) => ({ caption: its.caption ?? '' })
const order = (its: Json) => ({ ...its, sellerJid: its.sellerPhone, orderStatus: upper(its.orderStatus) })
const payment = ({ currency, ...its }: Json) => ({ ...its, currency, currencyCode: currency })

/** Name and conversion of each content field in this dialect. A field without a row keeps its name, in camelCase. */
const BLOCKS: Readonly<Record<string, { name?: string; form?: (its: Json, event: Json) => unknown }>> = {
  text: { form: withoutNulls },
  image: { form: file('imageUrl', (its) => ({ ...withCaption(its), thumbnailUrl: its.url })) },
  video: { form: file('videoUrl', withCaption) },
  audio: { form: file('audioUrl') },
  document: { form: file('documentUrl', withCaption) },
  sticker: { form: file('stickerUrl') },
  contact: { form: (its) => ({ ...its, vCard: its.vcard }) },
  contacts: { form: (its) => list(its).map((each) => ({ ...part(each), vCard: part(each).vcard })) },
  reaction: { form: (its) => ({ ...its, time: millis(its.time) }) },
  poll: { form: (its) => ({ ...its, options: named(its.options) }) },
  pollVote: { form: (its) => ({ ...its, options: named(its.options) }) },
  buttonsResponse: { name: 'buttonsResponseMessage' },
  listResponse: { name: 'listResponseMessage' },
  buttons: {
    name: 'buttonsMessage',
    form: (its) => ({
      ...its,
      buttons: list(its.buttons).map((each) => {
        const { id, label, ...rest } = part(each)
        return { ...rest, id, label, buttonId: id, buttonText: { displayText: label } }
      }),
    }),
  },
  list: { name: 'listMessage' },
  carousel: { name: 'carouselMessage', form: (its) => ({ ...its, text: its.message }) },
  pixKey: { name: 'pixKeyMessage', form: (its) => ({ ...its, keyType: upper(its.keyType) }) },
  pin: { name: 'pinMessage', form: (its) => ({ ...its, pinDurationInSecs: its.pinDurationSeconds }) },
  event: { form: (its) => ({ ...its, scheduleTime: seconds(its.dateTime), location: its.location ?? {} }) },
  eventResponse: { form: (its) => ({ ...its, response: upper(its.response), time: millis(its.time) }) },
  newsletterAdminInvite: { form: (its) => ({ ...its, inviteExpiration: seconds(its.expiresAt) }) },
  product: { form: (its) => ({ ...payment(its), businessOwnerJid: its.businessOwnerPhone }) },
  order: { form: order },
  requestPayment: { form: (its) => ({ ...payment(its), expiration: millis(its.expiresAt) }) },
  sendPayment: { form: (its) => ({ ...payment(its), paymentInfo: payment(its) }) },
}

/** Converts a notification. Its name is in upper case in this dialect. */
function notification({ notificationParameters, labelAssociations, call, ...its }: Json): Json {
  const parameters = list(notificationParameters)
  const isOfChannel = String(its.notification).startsWith('newsletter_admin')
  return {
    ...its,
    notification: upper(its.notification),
    notificationParameters: labelAssociations ?? (isOfChannel ? parameters.map(upper) : parameters),
    callId: part(call).callId ?? null,
    ...(call === undefined ? {} : { call }),
  }
}

function received(its: Json): Json {
  const common = {
    type: 'ReceivedCallback',
    status: upper(its.status),
    senderLid: its.participantLid ?? its.chatLid,
    messageType: camelCase(String(its.messageType)),
  }
  if (its.notification !== undefined) return { ...notification(its), ...common }
  const { [common.messageType]: block, ...rest } = its
  if (typeof block !== 'object' || block === null) return { ...its, ...common }
  const { name = common.messageType, form } = BLOCKS[common.messageType] ?? {}
  return { ...rest, ...common, [name]: form ? form(block as Json, its) : block }
}

const delivery = (its: Json): Json => ({
  ...its,
  type: 'DeliveryCallback',
  zaapId: its.svcId,
  ...(its.status === 'failed' ? { error: its.errorMessage } : {}),
})

const MESSAGE_STATUSES: Readonly<Record<string, string>> = { delivered: 'RECEIVED' }

const messageStatus = (its: Json): Json => ({
  ...its,
  type: 'MessageStatusCallback',
  status: MESSAGE_STATUSES[String(its.status)] ?? upper(its.status),
  phoneDevice: 0,
})

const ENDED: ReadonlySet<unknown> = new Set(['disconnected', 'logged_out', 'banned', 'stopped'])

/**
 * Z-API has status events only for connected and for ended instances. Every other state gets a type that Z-API does not
 * have.
 */
function instanceStatus(its: Json): Json {
  if (its.connected === true) return { ...its, type: 'ConnectedCallback' }
  if (!ENDED.has(its.status)) return { ...its, type: 'InstanceStatusCallback' }
  return { ...its, type: 'DisconnectedCallback', disconnected: true, error: its.reason }
}

const chatPresence = (its: Json): Json => ({
  ...its,
  type: 'PresenceChatCallback',
  status: upper(its.status),
  lastSeen: millis(its.lastSeen),
})

const FORMS: Readonly<Record<string, (its: Json) => Json>> = {
  received,
  delivery,
  message_status: messageStatus,
  instance_status: instanceStatus,
  chat_presence: chatPresence,
}

export const zapiForm = (event: Json): Json => FORMS[String(event.type)]!(inCamelCase(event) as Json)
