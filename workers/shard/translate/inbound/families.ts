/**
 * The function that translates each content field of the protocol. A field that is not in this table is reported as
 * unsupported, with its name.
 */
import { legacyButton, legacyRow, nativeAnswer, templateButton } from './answer.ts'
import { legacyButtons, template } from './buttons.ts'
import { comment, sealedComment } from './comment.ts'
import { order, paymentCancelled, paymentDeclined, product, requestPayment, sendPayment } from './commerce.ts'
import { contact, contacts } from './contact.ts'
import { type Content, type Field, type Unwrapped, unwrap } from './content.ts'
import { contextFields } from './context-fields.ts'
import { event, eventResponse } from './event.ts'
import type { Family, Scene, Translated, Translation } from './family.ts'
import { interactive, interactiveTemplate } from './interactive.ts'
import { groupInvite, newsletterAdminInvite, newsletterInvite } from './invite.ts'
import { legacyList } from './list.ts'
import { audio, document, image, sticker, video } from './media.ts'
import { pin } from './pin.ts'
import { liveLocation, location } from './place.ts'
import { poll, pollVote } from './poll.ts'
import { protocol, sealedEdit } from './protocol.ts'
import { reaction, sealedReaction } from './reaction.ts'
import { richResponse } from './rich-response.ts'
import { text } from './text.ts'

export const FAMILIES: Partial<Record<Field, Family>> = {
  conversation: text,
  extendedTextMessage: text,
  richResponseMessage: richResponse,
  imageMessage: image,
  videoMessage: video,
  ptvMessage: video,
  audioMessage: audio,
  documentMessage: document,
  stickerMessage: sticker,
  locationMessage: location,
  liveLocationMessage: liveLocation,
  contactMessage: contact,
  contactsArrayMessage: contacts,
  reactionMessage: reaction,
  encReactionMessage: sealedReaction,
  pollCreationMessage: poll,
  pollCreationMessageV2: poll,
  pollCreationMessageV3: poll,
  pollCreationMessageV5: poll,
  pollUpdateMessage: pollVote,
  eventMessage: event,
  encEventResponseMessage: eventResponse,
  buttonsResponseMessage: legacyButton,
  templateButtonReplyMessage: templateButton,
  interactiveResponseMessage: nativeAnswer,
  listResponseMessage: legacyRow,
  productMessage: product,
  orderMessage: order,
  buttonsMessage: legacyButtons,
  listMessage: legacyList,
  interactiveMessage: interactive,
  templateMessage: (content, scene) => template(content, scene) ?? interactiveTemplate(content, scene),
  highlyStructuredMessage: template,
  requestPaymentMessage: requestPayment,
  sendPaymentMessage: sendPayment,
  declinePaymentRequestMessage: paymentDeclined,
  cancelPaymentRequestMessage: paymentCancelled,
  newsletterAdminInviteMessage: newsletterAdminInvite,
  newsletterFollowerInviteMessageV2: newsletterInvite,
  groupInviteMessage: groupInvite,
  pinInChatMessage: pin,
  protocolMessage: protocol(translateInner),
  secretEncryptedMessage: sealedEdit(translateInner),
  commentMessage: comment(translateInner),
  encCommentMessage: sealedComment(translateInner),
}

export const translate = (content: Unwrapped, scene: Scene): Translation | Promise<Translation> =>
  FAMILIES[content.field]?.(content, scene) ?? null

async function translateInner(message: Content, scene: Scene): Promise<Translated | null> {
  const content = unwrap(message)
  const translated = content && (await translate(content, scene))
  if (!translated || translated === 'silent') return null
  return { ...translated, common: { ...(await contextFields(content, scene.context)), ...translated.common } }
}
