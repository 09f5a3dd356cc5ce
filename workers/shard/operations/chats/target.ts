import { Failure } from '../../../../src/domain/failures.ts'
import { type GroupIdentifier, toJid, type UserIdentifier } from '../../../../src/domain/ids.ts'
import { peopleOf } from '../../chats/accounts.ts'
import { networkCodeOf } from '../../connection/failures.ts'
import type { ChatEntry } from '../../directory/entries.ts'
import { newChat } from '../../directory/entries.ts'
import type { Newest } from '../../wire/app-state-actions.ts'
import type { ActionContext } from '../types.ts'

type ChatIdentifier = UserIdentifier | GroupIdentifier
type Context = Pick<ActionContext, 'ask' | 'session' | 'directory'>

export async function knownChat({ session, directory }: Context, phone: ChatIdentifier): Promise<ChatEntry | undefined> {
  await directory.ready()
  const jid = toJid(phone)
  if (phone.kind === 'group') return directory.chat([jid])
  const { identity } = session
  return directory.chat([jid]) ?? directory.chat([phone.space === 'lid' ? await identity.pnOf(jid) : await identity.lidOf(jid)])
}

/**
 * Finds a chat in the directory or on the network. Rejects with `chat_not_found` if the person has no account, or if
 * our account is not a member of the group.
 */
export async function chatAt(context: Context, phone: ChatIdentifier): Promise<ChatEntry> {
  return (await knownChat(context, phone)) ?? (phone.kind === 'group' ? groupChat(context, phone) : personChat(context, phone))
}

/** Codes with which the network refuses an account that is not a member of the group. */
const NO_MEMBER = new Set([401, 403, 404])

async function groupChat({ ask, session }: Context, phone: GroupIdentifier): Promise<ChatEntry> {
  const jid = toJid(phone)
  try {
    await ask.run(() => session.groups.get(jid))
  } catch (error) {
    throw NO_MEMBER.has(networkCodeOf(error) ?? 0) ? new Failure('chat_not_found', { cause: error }) : error
  }
  return newChat(jid)
}

async function personChat(context: Context, phone: UserIdentifier): Promise<ChatEntry> {
  const [person] = await peopleOf(context, [phone])
  if (!person) throw new Failure('chat_not_found')
  const { pn, lid } = person
  return context.directory.chat([lid, pn]) ?? newChat(pn ?? lid ?? '', pn === null ? null : lid)
}

/**
 * Returns the newest message of a chat, or only a time if no message is known. A change of the chat (such as archive)
 * contains the key of this message, and covers all messages up to it.
 */
export function newestOf({ id, last, activeAt }: ChatEntry, nowSeconds: number): Newest {
  if (last === null) return { at: activeAt || nowSeconds }
  const { participant, fromMe } = last
  return { at: last.at, key: { remoteJid: id, id: last.id, fromMe, ...(participant ? { participant } : {}) } }
}
