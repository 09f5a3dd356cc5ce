/**
 * Translates `reaction`: an emoji on a message, or the removal of one. In announcement groups, reactions are encrypted.
 */
import { proto } from '@whiskeysockets/baileys'
import { cutOrEmpty, isoOrNull, millisecondsToIso } from '../../wire/bounds.ts'
import { block, type Family, type Scene, type Translation } from './family.ts'
import { may } from './permissions.ts'
import { referencedMessage } from './referenced.ts'
import { decryptAbout } from './secret.ts'

export const reaction: Family = ({ message }, scene) => {
  const given = message.reactionMessage
  return given ? translated(given, given.key, scene) : null
}

export const sealedReaction: Family = async ({ message }, scene) => {
  const sealed = message.encReactionMessage
  const opened = await decryptAbout(scene, sealed?.targetMessageKey, 'Enc Reaction', {
    payload: sealed?.encPayload,
    iv: sealed?.encIv,
  })
  return opened && translated(proto.Message.ReactionMessage.decode(opened.plain), sealed?.targetMessageKey, scene)
}

async function translated(
  { text, senderTimestampMs }: proto.Message.IReactionMessage,
  key: proto.IMessageKey | null | undefined,
  scene: Scene,
): Promise<Translation> {
  const referenced = await referencedMessage(key, scene)
  if (!referenced || !(await may('speakAbout', scene, key))) return null
  return block('reaction', {
    value: cutOrEmpty(text, 64),
    time: millisecondsToIso(senderTimestampMs) ?? isoOrNull(scene.at),
    reaction_by: scene.author?.phone ?? scene.phone,
    referenced_message: referenced,
  })
}
