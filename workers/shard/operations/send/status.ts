import { Failure } from '../../../../src/domain/failures.ts'
import { toJid, type UserIdentifier } from '../../../../src/domain/ids.ts'
import { imageMessage, stickerMessage, videoMessage } from '../../media/compose.ts'
import { sendMedia } from '../../media/send.ts'
import { isDeleted } from '../../messages/known-messages.ts'
import { quote, type SharedFields, surroundings } from '../../send/context-info.ts'
import type { SendContext } from '../../send/contract.ts'
import { resolveDestination } from '../../send/destination.ts'
import { sendMessage } from '../../send/relay.ts'
import { postStatus, STATUS } from '../../send/status/post.ts'
import { bare, STATUS_JID } from '../../wire/jid.ts'
import type { Handlers } from '../types.ts'

export const status: Handlers<typeof import('../../../../src/features/send/status.ts')> = {
  async 'send.sendTextStatus'(context, input) {
    const { text, info } = await surroundings(context, STATUS, input, input.message)
    return postStatus(context, {
      content: { text, linkPreview: null },
      options: { backgroundColor: input.background_color, font: input.font },
      info,
    })
  },

  async 'send.sendImageStatus'(context, input) {
    const { text, info } = await surroundings(context, STATUS, input, input.caption)
    const content = { imageMessage: { ...(await imageMessage(context, STATUS, input.image)), ...captioned(text) } }
    return sendMedia(context, STATUS, { content, info })
  },

  async 'send.sendVideoStatus'(context, input) {
    const { text, info } = await surroundings(context, STATUS, input, input.caption)
    const content = { videoMessage: { ...(await videoMessage(context, STATUS, input.video)), ...captioned(text) } }
    return sendMedia(context, STATUS, { content, info })
  },

  async 'send.replyStatusText'(context, input) {
    const { to, text, info } = await statusAnswered(context, input, input.message)
    return sendMessage(context, to, { content: { text, linkPreview: null }, info })
  },

  async 'send.replyStatusGif'(context, input) {
    const { to, info } = await statusAnswered(context, input)
    return sendMedia(context, to, { content: { videoMessage: await videoMessage(context, to, input.gif, 'gif') }, info })
  },

  async 'send.replyStatusSticker'(context, input) {
    const { to, info } = await statusAnswered(context, input)
    return sendMedia(context, to, { content: { stickerMessage: await stickerMessage(context, to, input.sticker) }, info })
  },
}

const captioned = (caption: string) => (caption ? { caption } : {})

interface Answer extends Pick<SharedFields, 'mentions'> {
  phone: UserIdentifier | { kind: 'broadcast'; id: string }
  status_message_id: string
}

/** Returns the chat with the author of a status, and the quote that makes a message an answer to the status. */
async function statusAnswered(context: SendContext, input: Answer, words = '') {
  const { phone, status_message_id: id } = input
  const { session, messages } = context
  const to = await resolveDestination(context, phone)
  const asked = [to.jid, to.other, toJid(phone)]
  const status = await messages.get(id, ({ remoteJid, fromMe, participant, participantAlt }) => {
    const author = fromMe ? [session.me?.id, session.me?.lid] : [participant, participantAlt]
    return remoteJid === STATUS_JID && author.some((name) => name && asked.includes(bare(name)))
  })
  if (!status || isDeleted(status)) throw new Failure('message_not_found')
  const { text, info } = await surroundings(context, to, { mentions: input.mentions }, words)
  return { to, text, info: { ...info, ...quote(session, to, status) } }
}
