import type { proto } from '@whiskeysockets/baileys'
import { Failure } from '../../../../src/domain/failures.ts'
import type { Identifier } from '../../../../src/domain/ids.ts'
import type { MediaInput } from '../../../../src/domain/media.ts'
import { audioMessage, imageMessage, stickerMessage, videoMessage } from '../../media/compose.ts'
import { documentMessage } from '../../media/document.ts'
import { sendMedia } from '../../media/send.ts'
import { editMessage } from '../../send/compose/edit.ts'
import { type SharedFields, surroundings } from '../../send/context-info.ts'
import type { SendContext } from '../../send/contract.ts'
import { type Destination, resolveDestination } from '../../send/destination.ts'
import type { Handlers } from '../types.ts'

/**
 * Returns the destination, the context and the caption. The quote and the mentions are checked before the download,
 * which would otherwise be wasted.
 */
async function prepared(context: SendContext, input: SharedFields & { phone: Identifier; caption?: string | undefined }) {
  const to = await resolveDestination(context, input.phone)
  const around = await surroundings(context, to, input, input.caption)
  return { to, info: around.info, caption: input.caption ? { caption: around.text } : {} }
}

/**
 * Whether to send a view-once message. Channels and status posts cannot have one, because people can open these posts
 * repeatedly.
 */
const isOnce = (wanted: boolean, to: Destination) => wanted && to.kind !== 'newsletter' && to.kind !== 'status'

export const media: Handlers<typeof import('../../../../src/features/send/media.ts')> = {
  async 'send.sendImage'(context, input) {
    const { to, info, caption } = await prepared(context, input)
    const viewOnce = isOnce(input.view_once, to)
    const image = { ...(await imageMessage(context, to, input.image)), ...caption, ...(viewOnce ? { viewOnce } : {}) }
    const content: proto.IMessage = { imageMessage: image }
    return sendMedia(context, to, { content: viewOnce ? { viewOnceMessageV2: { message: content } } : content, info })
  },

  async 'send.sendVideo'(context, input) {
    const { to, info, caption } = await prepared(context, input)
    const viewOnce = isOnce(input.view_once, to)
    const video = { ...(await videoMessage(context, to, input.video)), ...caption, ...(viewOnce ? { viewOnce } : {}) }
    const content: proto.IMessage = { videoMessage: video }
    return sendMedia(context, to, { content: viewOnce ? { viewOnceMessageV2: { message: content } } : content, info })
  },

  async 'send.sendAudio'(context, input) {
    const { to, info } = await prepared(context, { ...input, mentions: [] })
    const viewOnce = isOnce(input.view_once, to)
    const audio = { ...(await audioMessage(context, to, input.audio, input)), ...(viewOnce ? { viewOnce } : {}) }
    const content: proto.IMessage = { audioMessage: audio }
    // View-once audio has its own wrapper message. In the wrapper for view-once pictures, a client would show the audio
    // as a broken picture.
    return sendMedia(context, to, { content: viewOnce ? { viewOnceMessageV2Extension: { message: content } } : content, info })
  },

  async 'send.sendDocument'(context, input) {
    if (input.edit_message_id !== undefined) return changeCaption(context, input, input.edit_message_id)
    const { to, info, caption } = await prepared(context, input)
    const file = await documentMessage(context, to, present(input.document), input)
    const content: proto.IMessage = { documentMessage: { ...file, ...caption } }
    return sendMedia(context, to, {
      content: input.caption ? { documentWithCaptionMessage: { message: content } } : content,
      info,
    })
  },

  async 'send.sendSticker'(context, input) {
    const { to, info } = await prepared(context, { ...input, mentions: [] })
    const sticker = await stickerMessage(context, to, input.sticker, input.sticker_author)
    return sendMedia(context, to, { content: { stickerMessage: sticker }, info })
  },

  async 'send.sendGif'(context, input) {
    const { to, info, caption } = await prepared(context, input)
    const video = { ...(await videoMessage(context, to, input.gif, 'gif')), ...caption }
    return sendMedia(context, to, { content: { videoMessage: video }, info })
  },

  async 'send.sendPtv'(context, input) {
    const { to, info } = await prepared(context, { ...input, mentions: [] })
    return sendMedia(context, to, { content: { ptvMessage: await videoMessage(context, to, input.ptv, 'ptv') }, info })
  },
}

/** Returns the document, which the schema of the request requires, except for an edit. */
function present(document: MediaInput | undefined): MediaInput {
  if (document === undefined) throw new Failure('media_invalid', { message: 'The document is missing.' })
  return document
}

async function changeCaption(
  context: SendContext,
  input: SharedFields & { phone: Identifier; caption?: string | undefined },
  id: string,
) {
  const to = await resolveDestination(context, input.phone)
  const { reply_to_message_id: _, ...named } = input
  const { text, info } = await surroundings(context, to, named, input.caption)
  return editMessage(context, to, id, { text, info, isMeant: ({ documentMessage }) => Boolean(documentMessage) })
}
