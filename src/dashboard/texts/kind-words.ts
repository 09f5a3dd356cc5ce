/** Words for kinds of messages: those that this service sends, by operation, and those that it receives, by type. */
import { t } from './t.ts'

type Words = Readonly<Record<string, string>>

/**
 * Kinds of messages that can be sent. The groups and their kinds are in the order of the list in the form for sending.
 */
export const SENT_KINDS: readonly (readonly [group: string, kinds: Words])[] = [
  [
    t('Common'),
    {
      sendText: t('Text'),
      sendImage: t('Picture'),
      sendVideo: t('Video'),
      sendAudio: t('Voice or audio'),
      sendDocument: t('Document'),
      sendGif: t('GIF'),
      sendPtv: t('Round video'),
      sendSticker: t('Sticker'),
      sendLocation: t('Place'),
      sendLink: t('Link with a preview'),
      sendContact: t('Contact card'),
      sendContacts: t('Several contact cards'),
    },
  ],
  [
    t('Questions and buttons'),
    {
      sendPoll: t('Poll'),
      sendPollVote: t('Vote in a poll'),
      sendButtonList: t('Reply buttons'),
      sendButtons: t('Action buttons'),
      sendOptionList: t('List of options'),
      sendCarousel: t('Cards to swipe'),
      sendButtonOtp: t('Code with a copy button'),
      sendButtonPix: t('Pix key with a copy button'),
    },
  ],
  [
    t('About another message'),
    {
      sendReaction: t('Reaction'),
      removeReaction: t('Reaction removed'),
      forwardMessage: t('Forwarded message'),
      pinMessage: t('Pinned message'),
    },
  ],
  [
    t('Events'),
    {
      sendEvent: t('Calendar event'),
      sendEditEvent: t('Changed calendar event'),
      sendEventResponse: t('Answer to a calendar event'),
    },
  ],
  [
    t('Shop'),
    {
      sendProduct: t('Product'),
      sendCatalog: t('Catalogue'),
      sendOrder: t('Shop order'),
      orderStatusUpdate: t('Status of an order'),
    },
  ],
  [
    t('Status posts and channels'),
    {
      sendTextStatus: t('Text as status'),
      sendImageStatus: t('Picture as status'),
      sendVideoStatus: t('Video as status'),
      replyStatusText: t('Text about a status'),
      replyStatusGif: t('GIF about a status'),
      replyStatusSticker: t('Sticker about a status'),
      sendNewsletterAdminInvite: t('Invitation to manage a channel'),
    },
  ],
]

const RECEIVED: Words = {
  text: t('Text'),
  image: t('Picture'),
  video: t('Video'),
  audio: t('Voice or audio'),
  document: t('Document'),
  sticker: t('Sticker'),
  location: t('Place'),
  live_location: t('Live location'),
  contact: t('Contact card'),
  contacts: t('Several contact cards'),
  reaction: t('Reaction'),
  poll: t('Poll'),
  poll_vote: t('Vote in a poll'),
  event: t('Calendar event'),
  event_response: t('Answer to a calendar event'),
  newsletter_admin_invite: t('Invitation to manage a channel'),
  newsletter_invite: t('Invitation to a channel'),
  group_invite: t('Invitation to a group'),
  pin: t('Pinned message'),
  unsupported: t('Unsupported message'),
  buttons_response: t('Press of a button'),
  list_response: t('Choice from a list'),
  flow_response: t('Filled form'),
  product: t('Product'),
  order: t('Shop order'),
  buttons: t('Action buttons'),
  list: t('List of options'),
  carousel: t('Cards to swipe'),
  hydrated_template: t('Template'),
  pix_key: t('Pix key'),
  review_and_pay: t('Request to pay'),
  review_order: t('Shop order'),
  request_payment: t('Request to pay'),
  send_payment: t('Payment'),
  notification: t('Notice'),
  waiting_message: t('Waiting message'),
}

export const KIND_WORDS: Words = Object.assign({}, RECEIVED, ...SENT_KINDS.map(([, kinds]) => kinds))
