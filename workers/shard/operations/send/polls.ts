import { randomBytes } from 'node:crypto'
import type { proto } from '@whiskeysockets/baileys'
import { surroundings } from '../../send/context-info.ts'
import { resolveDestination } from '../../send/destination.ts'
import { sendPost } from '../../send/newsletter.ts'
import { sendMessage } from '../../send/relay.ts'
import { rememberedTarget, secretAbout } from '../../send/targets.ts'
import { pollVote } from '../../translate/outbound/poll.ts'
import type { Handlers } from '../types.ts'

const SECRET_BYTES = 32

export const polls: Handlers<typeof import('../../../../src/features/send/polls.ts')> = {
  async 'send.sendPoll'(context, input) {
    const to = await resolveDestination(context, input.phone)
    const { options, poll_max_options: max } = input
    const selectableCount = max > options.length ? 0 : max
    if (to.kind === 'newsletter') return sendPost(context, to.jid, pollPost(input.question, options, selectableCount))
    const { text, info } = await surroundings(context, to, input, input.question)
    return sendMessage(context, to, {
      content: {
        poll: {
          name: text,
          values: options,
          selectableCount,
          // The secret must be stored, because without it the votes cannot be decrypted.
          messageSecret: randomBytes(SECRET_BYTES),
          toAnnouncementGroup: to.group?.isCommunityAnnounce === true,
        },
      },
      info,
    })
  },

  async 'send.sendPollVote'(context, input) {
    const chat = await resolveDestination(context, input.phone)
    const target = await rememberedTarget(context, chat, input.poll_message_id)
    const poll = { key: target.key, content: target.message.message ?? {} }
    const vote = pollVote(poll, secretAbout(context, target), input.options, context.now())
    return sendMessage(context, target.to, { content: { proto: vote } })
  },
}

function pollPost(name: string, options: readonly string[], selectableOptionsCount: number): proto.IMessage {
  const poll = { name, selectableOptionsCount, options: options.map((optionName) => ({ optionName })) }
  return selectableOptionsCount === 1 ? { pollCreationMessageV3: poll } : { pollCreationMessage: poll }
}
