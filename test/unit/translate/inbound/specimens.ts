/** Valid messages of many kinds, as plain objects. Tests change these messages, or use them as rows of tables. */
import type { proto } from '@whiskeysockets/baileys'

const flow = (name: string, params: object) => ({
  interactiveMessage: {
    body: { text: 'x' },
    nativeFlowMessage: { buttons: [{ name, buttonParamsJson: JSON.stringify(params) }] },
  },
})
const key = { id: '3EB0', fromMe: false, remoteJid: '5511999990000@s.whatsapp.net' }
const file = {
  directPath: '/v/t62/1',
  mediaKey: Buffer.alloc(32, 1),
  fileSha256: Buffer.alloc(32, 2),
  fileEncSha256: Buffer.alloc(32, 3),
  fileLength: 1_234,
  mimetype: 'image/jpeg',
}
const sealed = { encPayload: Buffer.alloc(40, 4), encIv: Buffer.alloc(12, 5) }
const contextInfo = {
  stanzaId: '3EB0',
  participant: '5511988880001@s.whatsapp.net',
  mentionedJid: ['5511988880001@s.whatsapp.net', '81896604190001@lid', 'x'],
  isForwarded: true,
  expiration: 86_400,
  externalAdReply: { title: 'Promo', mediaType: 1, sourceId: '1', ctwaClid: 'c' },
}
const rows = [{ id: 'a', rowId: 'a', title: 'A', description: 'B' }]

export const SPECIMENS: readonly Record<string, unknown>[] = [
  { conversation: 'Hello' },
  { extendedTextMessage: { text: 'See', title: 'T', description: 'D', matchedText: 'https://x.example', contextInfo } },
  { imageMessage: { ...file, caption: 'c', width: 1, height: 2, contextInfo } },
  { videoMessage: { ...file, seconds: 3, gifPlayback: true } },
  { ptvMessage: { ...file, seconds: 3 } },
  { audioMessage: { ...file, ptt: true, seconds: 3 } },
  { documentWithCaptionMessage: { message: { documentMessage: { ...file, fileName: 'a.pdf', title: 'a', pageCount: 2 } } } },
  { lottieStickerMessage: { message: { stickerMessage: { ...file, isLottie: true } } } },
  { viewOnceMessageV2: { message: { imageMessage: file } } },
  { locationMessage: { degreesLatitude: 1, degreesLongitude: 2, name: 'n', url: 'u' } },
  { liveLocationMessage: { degreesLatitude: 1, degreesLongitude: 2, sequenceNumber: 9 } },
  { contactMessage: { displayName: 'A', vcard: 'BEGIN:VCARD\nTEL;waid=5511900002222:+55\nEND:VCARD' } },
  { contactsArrayMessage: { contacts: [{ displayName: 'A', vcard: 'x' }] } },
  { reactionMessage: { key, text: '👍', senderTimestampMs: 1_767_225_600_000 } },
  { encReactionMessage: { targetMessageKey: key, ...sealed } },
  {
    pollCreationMessage: { name: 'q', options: [{ optionName: 'a' }, { optionName: 'b' }], selectableOptionsCount: 1 },
    messageContextInfo: { messageSecret: Buffer.alloc(32, 7) },
  },
  { pollUpdateMessage: { pollCreationMessageKey: key, vote: sealed } },
  { eventMessage: { name: 'e', startTime: 1_767_225_600, location: { name: 'r' } } },
  { encCommentMessage: { targetMessageKey: key, ...sealed } },
  { commentMessage: { message: { extendedTextMessage: { text: 'c', contextInfo } }, targetMessageKey: key } },
  { richResponseMessage: { submessages: [{ messageText: 'x' }, { tableMetadata: { title: 't', rows: [{ items: ['a'] }] } }] } },
  { encEventResponseMessage: { eventCreationMessageKey: key, ...sealed } },
  { buttonsResponseMessage: { selectedButtonId: '1', selectedDisplayText: 'Yes', contextInfo } },
  { templateButtonReplyMessage: { selectedId: '1', selectedDisplayText: 'Yes', selectedCarouselCardIndex: 1 } },
  {
    interactiveResponseMessage: {
      body: { text: 'x' },
      nativeFlowResponseMessage: { name: 'menu_options', paramsJson: '{"id":"a"}' },
    },
  },
  {
    interactiveResponseMessage: {
      body: { text: 'x' },
      nativeFlowResponseMessage: { name: 'galaxy_message', paramsJson: '{"flow_token":"t","values":{"a":["b"]}}' },
      contextInfo,
    },
  },
  { listResponseMessage: { title: 't', singleSelectReply: { selectedRowId: 'a' } } },
  { productMessage: { businessOwnerJid: key.remoteJid, product: { productId: '1', title: 't', priceAmount1000: 1_000 } } },
  { orderMessage: { orderId: '1', token: 't', status: 1, sellerJid: key.remoteJid, totalAmount1000: 1_000 } },
  { buttonsMessage: { contentText: 'x', buttons: [{ buttonId: '1', buttonText: { displayText: 'Y' } }], imageMessage: file } },
  { listMessage: { description: 'x', buttonText: 'o', sections: [{ title: 's', rows }] } },
  flow('quick_reply', { display_text: 'Yes', id: '1' }),
  flow('single_select', { title: 'o', sections: [{ title: 's', rows }] }),
  flow('payment_info', {
    currency: 'BRL',
    payment_settings: [{ type: 'pix_static_code', pix_static_code: { key: 'k', key_type: 'CPF' } }],
  }),
  flow('review_and_pay', {
    currency: 'BRL',
    total_amount: { value: 1, offset: 100 },
    order: { items: [{ name: 'm', quantity: 1 }] },
  }),
  flow('review_order', { reference_id: 'r', order: { status: 'shipped' } }),
  { interactiveMessage: { carouselMessage: { cards: [{ header: { imageMessage: file }, body: { text: 'x' } }] } } },
  {
    templateMessage: {
      hydratedTemplate: {
        hydratedContentText: 'x',
        hydratedButtons: [{ urlButton: { displayText: 'u', url: 'https://x.example' } }],
      },
    },
  },
  { interactiveMessage: { header: { title: 't' }, body: { text: 'x' }, shopStorefrontMessage: { id: '1' } } },
  {
    templateMessage: {
      templateId: '7',
      interactiveMessageTemplate: flow('quick_reply', { display_text: 'Yes' }).interactiveMessage,
    },
  },
  { requestPaymentMessage: { currencyCodeIso4217: 'BRL', amount1000: 1_000, requestFrom: key.remoteJid, expiryTimestamp: 1 } },
  { sendPaymentMessage: { noteMessage: { conversation: 'n' } } },
  { declinePaymentRequestMessage: { key } },
  { cancelPaymentRequestMessage: { key } },
  { newsletterAdminInviteMessage: { newsletterJid: '1@newsletter', newsletterName: 'n', inviteExpiration: 1 } },
  { newsletterFollowerInviteMessageV2: { newsletterJid: '1@newsletter', newsletterName: 'n' } },
  { groupInviteMessage: { groupJid: '1@g.us', inviteCode: 'c', groupName: 'g', inviteExpiration: 1 } },
  { pinInChatMessage: { key, type: 1 }, messageContextInfo: { messageAddOnDurationInSecs: 86_400 } },
  { protocolMessage: { type: 0, key } },
  { protocolMessage: { type: 3, ephemeralExpiration: 86_400 } },
  { protocolMessage: { type: 14, key, editedMessage: { imageMessage: { caption: 'new' } } } },
  { secretEncryptedMessage: { targetMessageKey: key, ...sealed, secretEncType: 2 } },
  { stickerPackMessage: { name: 'p' } },
  { ephemeralMessage: { message: { viewOnceMessage: { message: { conversation: 'deep' } } } } },
] satisfies Record<keyof proto.IMessage | string, unknown>[]
