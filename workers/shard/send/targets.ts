/**
 * Finds the message that an action (such as a reaction or an edit) is about, and the jid to which the action must be
 * sent.
 */
import type { GroupMetadata, proto, WAMessage } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import type { UserIdentifier } from '../../../src/domain/ids.ts'
import type { Asker, Session } from '../chats/session.ts'
import type { SecretAbout } from '../translate/outbound/secret.ts'
import { bare } from '../wire/jid.ts'
import { authorOf, remembered, type Wanted } from './context-info.ts'
import type { SendContext } from './contract.ts'
import { type Destination, groupAt } from './destination.ts'
import { memberJids } from './member.ts'

export interface Target {
  key: proto.IMessageKey
  /**
   * Destination with the jid to which the target was sent. An action has no effect if it is sent to the person's other
   * jid.
   */
  to: Destination
  message: WAMessage | undefined
}

export interface TargetFields {
  message_id: string
  from_me?: boolean | undefined
  participant?: UserIdentifier | undefined
}

/**
 * If the message is not stored, the target is built from the fields of the caller. Rejects with `message_not_found` if
 * the message is stored for another chat, or if the author of a group message is not given.
 */
export async function targetOf(context: SendContext, to: Destination, fields: TargetFields, wanted?: Wanted): Promise<Target> {
  // A message with this id is stored. If it is of another chat, `rememberedTarget` rejects.
  if (await context.messages.get(fields.message_id, () => true)) return rememberedTarget(context, to, fields.message_id, wanted)
  const { message_id: id, from_me: fromMe = false, participant } = fields
  const key: proto.IMessageKey = { remoteJid: to.jid, id, fromMe }
  if (to.kind !== 'group' || fromMe) return { key, to, message: undefined }
  if (!participant) throw new Failure('message_not_found')
  const [author] = await memberJids(context, to, [participant])
  return { key: { ...key, participant: author! }, to, message: undefined }
}

export async function rememberedTarget(
  context: SendContext,
  to: Destination,
  id: string,
  wanted?: Wanted,
): Promise<Target & { message: WAMessage }> {
  const message = await remembered(context, id, to, wanted)
  const { remoteJid, fromMe, participant } = message.key
  const chat = remoteJid ? bare(remoteJid) : to.jid
  const author = !fromMe && participant && to.kind !== 'user' ? { participant: bare(participant) } : {}
  return { key: { remoteJid: chat, id, fromMe: fromMe === true, ...author }, to: { ...to, jid: chat, other: null }, message }
}

/**
 * Returns the data that encrypts an action on a message. If the secret of the message is missing, the message counts as
 * not stored.
 */
export function secretAbout({ session }: SendContext, { key, to, message }: Target): SecretAbout {
  const secret = message?.message?.messageContextInfo?.messageSecret
  if (!message || !secret?.length)
    throw new Failure('message_not_found', { message: 'The secret of the message is not stored, and the operation needs it.' })
  const author = authorOf(session, to, message.key)
  return { secret, messageId: key.id ?? '', author, sender: ownJid(session, author.endsWith('@lid')) }
}

function ownJid({ me }: Session, byLid: boolean): string {
  return bare((byLid ? me?.lid : me?.id) ?? me?.id ?? '')
}

export const isOwnAdmin = (session: Session, { participants }: GroupMetadata): boolean =>
  participants.some(
    ({ id, phoneNumber, lid, admin }) =>
      Boolean(admin) && [id, phoneNumber, lid].some((name) => name !== undefined && session.identity.isMe(name)),
  )

/**
 * Whether `rule` is true for the group; true for a destination that is not a group. If the stored metadata does not
 * fulfil the rule, the group is read again: the notice that made the account an administrator may be late or lost.
 */
export async function isAllowed(
  asker: Asker,
  { jid, group }: Destination,
  rule: (group: GroupMetadata) => boolean,
): Promise<boolean> {
  if (group === null || rule(group)) return true
  asker.session.groups.forget(jid)
  return rule(await groupAt(asker, jid))
}
