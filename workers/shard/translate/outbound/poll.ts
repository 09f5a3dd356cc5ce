import { createHash } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys'
import { Failure } from '../../../../src/domain/failures.ts'
import { type SecretAbout, sealAbout } from './secret.ts'
import { pollOf } from './stanza.ts'

const hashOf = (option: string) => createHash('sha256').update(option).digest()

/**
 * Builds a vote. Throws `message_not_found` if the message is not a poll. Throws `send_failed` if the poll does not
 * have these options, or does not allow so many.
 */
export function pollVote(
  poll: { key: proto.IMessageKey; content: proto.IMessage },
  about: SecretAbout,
  options: readonly string[],
  now: number,
): proto.IMessage {
  const creation = pollOf(poll.content)
  if (!creation) throw new Failure('message_not_found', { message: 'The message is not a poll.' })
  const offered = new Set(creation.options?.map(({ optionName }) => optionName))
  const chosen = [...new Set(options)]
  if (chosen.some((option) => !offered.has(option))) throw new Failure('send_failed', { message: 'The poll has no such option.' })
  const most = creation.selectableOptionsCount || offered.size
  if (chosen.length > most)
    throw new Failure('send_failed', { message: `The poll allows ${most} option${most === 1 ? '' : 's'}.` })
  const vote = proto.Message.PollVoteMessage.encode({ selectedOptions: chosen.map(hashOf) }).finish()
  return {
    pollUpdateMessage: {
      pollCreationMessageKey: poll.key,
      vote: sealAbout(about, 'Poll Vote', vote),
      senderTimestampMs: now,
    },
  }
}
