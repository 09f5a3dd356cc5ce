import { createHash } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys'
import { count, cutOrEmpty, idOrEmpty } from '../../wire/bounds.ts'
import { type Content, type Field, unwrap } from './content.ts'
import { block, type Family } from './family.ts'
import { decryptAbout } from './secret.ts'

const MAX_OPTIONS = 12

export const POLLS = [
  'pollCreationMessage',
  'pollCreationMessageV2',
  'pollCreationMessageV3',
  'pollCreationMessageV5',
] as const satisfies readonly Field[]

const pollOf = (message: Content) => POLLS.map((field) => message[field]).find(Boolean) ?? null

const optionsOf = (poll: proto.Message.IPollCreationMessage) => (poll.options ?? []).map(({ optionName }) => optionName ?? '')

export const poll: Family = ({ message }) => {
  const found = pollOf(message)
  if (!found) return null
  return block('poll', {
    question: cutOrEmpty(found.name, 255),
    options: optionsOf(found)
      .slice(0, MAX_OPTIONS)
      .map((option) => cutOrEmpty(option, 100)),
    poll_max_options: count(found.selectableOptionsCount) ?? 0,
  })
}

/**
 * Translates a vote. If it cannot be decrypted, it is reported as unsupported, because an empty vote would look like a
 * withdrawn one.
 */
export const pollVote: Family = async ({ message }, scene) => {
  const update = message.pollUpdateMessage
  const key = update?.pollCreationMessageKey
  const opened = await decryptAbout(scene, key, 'Poll Vote', { payload: update?.vote?.encPayload, iv: update?.vote?.encIv })
  const original = opened && pollOf(unwrap(opened.original.message)?.message ?? {})
  if (!opened || !original) return null
  const chosen = (proto.Message.PollVoteMessage.decode(opened.plain).selectedOptions ?? []).map(hex)
  const byHash = new Map(optionsOf(original).map((option) => [hex(sha256(option)), option]))
  const known = chosen.flatMap((hash) => byHash.get(hash) ?? [])
  return block('poll_vote', {
    poll_message_id: idOrEmpty(key?.id),
    options: known.slice(0, MAX_OPTIONS).map((option) => cutOrEmpty(option, 100)),
    unknown_options: chosen.length - known.length,
  })
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
