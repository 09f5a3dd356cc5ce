/** Reads and changes chats. The flags of a chat are app state, which the phone and its linked devices share. */
import { proto } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import { Failure, type FailureCode } from '../../../../src/domain/failures.ts'
import { type GroupIdentifier, toJid, type UserIdentifier } from '../../../../src/domain/ids.ts'
import { peopleOf } from '../../chats/accounts.ts'
import { pictureOf } from '../../chats/picture-of.ts'
import type { ChatEntry } from '../../directory/entries.ts'
import { isDeleted } from '../../messages/known-messages.ts'
import {
  type AppStateChange,
  archiveChange,
  clearChange,
  deleteChange,
  muteChange,
  type Newest,
  pinChange,
  readChange,
  starChange,
} from '../../wire/app-state-actions.ts'
import { cutOrNull, MAX_ABOUT } from '../../wire/bounds.ts'
import { timerQuery } from '../../wire/groups.ts'
import { aboutIn, aboutQuery } from '../../wire/person-query.ts'
import { isRefusal } from '../../wire/usync.ts'
import { changing } from '../groups/membership.ts'
import type { ActionContext, Handlers } from '../types.ts'
import { chatObject } from './chat-object.ts'
import { chatAt, knownChat, newestOf } from './target.ts'

const DONE = { value: true } as const

const MAX_PINNED = 3
const MAX_RECEIPTS = 1_000

interface Made {
  chat: ChatEntry
  newest: Newest
  now: number
}

async function change(context: ActionContext, phone: UserIdentifier | GroupIdentifier, make: (made: Made) => AppStateChange[]) {
  const chat = await chatAt(context, phone)
  const now = context.clock.now()
  const changes = make({ chat, newest: newestOf(chat, Math.floor(now / SECOND)), now })
  await context.ask.run(() => context.session.change(changes))
  return DONE
}

async function shown(context: ActionContext, chat: ChatEntry) {
  const { ask } = context
  const orNull = <T>(asked: Promise<T | null>) =>
    asked.catch((error) => {
      if (error instanceof Failure && error.code !== 'instance_not_connected') return null
      throw error
    })
  const about = async () => {
    const answer = aboutIn(await ask((sid) => aboutQuery(chat.id, sid)))
    return isRefusal(answer) ? null : cutOrNull(answer.text, MAX_ABOUT)
  }
  const isGroup = chat.id.endsWith('@g.us')
  const [text, picture_url] = await Promise.all([isGroup ? null : orNull(about()), orNull(pictureOf(context, chat.id, 'image'))])
  return { about: text, picture_url }
}

const AS_ACTION: Partial<Record<FailureCode, FailureCode>> = {
  send_failed: 'action_failed',
  phone_not_on_whatsapp: 'chat_not_found',
  group_not_found: 'chat_not_found',
}

async function asAction<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const code = error instanceof Failure ? AS_ACTION[error.code] : undefined
    throw code && error instanceof Failure ? new Failure(code, { details: error.details, cause: error }) : error
  }
}

async function expireInGroup(context: ActionContext, phone: GroupIdentifier, seconds: number) {
  await asAction(changing(context, phone, (jid) => context.ask(timerQuery(jid, seconds))))
  context.directory.group(toJid(phone), { ephemeralSeconds: seconds })
}

/**
 * Sets the timer of a 1:1 chat. The duration is valid for both people, and is sent as a message without other content.
 */
async function expireWithPerson(context: ActionContext, phone: UserIdentifier, seconds: number) {
  const { ask, session, directory, direct } = context
  const chat = await chatAt(context, phone)
  const [person] = await peopleOf(context, [phone])
  if (!person) throw new Failure('chat_not_found')
  const { pn, lid } = person
  const to = { jid: lid ?? pn ?? chat.id, kind: 'user', other: lid === null ? null : pn, group: null } as const
  const protocolMessage = {
    type: proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING,
    ephemeralExpiration: seconds,
    ephemeralSettingTimestamp: Math.floor(context.clock.now() / SECOND),
  }
  await ask.run(async () => {
    const message = await asAction(direct(session, 'chats.expiration', to, { content: { proto: { protocolMessage } } }))
    const key = { ...message.key, remoteJidAlt: to.other ?? undefined }
    directory.record({ ...message, key } as typeof message, { fromApi: true, unarchives: false, now: context.clock.now() })
    await directory.flush()
  })
}

export const chats: Handlers<typeof import('../../../../src/features/chats.ts')> = {
  async 'chats.list'(context, { page, page_size }) {
    const { directory, clock } = context
    await directory.ready()
    const { entries, total } = directory.chats(page, page_size)
    const now = clock.now()
    return { data: await Promise.all(entries.map((chat) => chatObject(context, chat, now))), page, page_size, total }
  },

  async 'chats.get'(context, { phone }) {
    let chat = await knownChat(context, phone)
    // The registered number may differ from the requested one, so the chat is looked up again.
    if (!chat && phone.kind === 'user') chat = await chatAt(context, phone)
    if (!chat?.isListed) throw new Failure('chat_not_found')
    const [object, more] = await Promise.all([chatObject(context, chat, context.clock.now()), shown(context, chat)])
    return { ...object, ...more }
  },

  'chats.archive': (context, { phone, value }) =>
    change(context, phone, ({ chat, newest, now }) => [
      ...(value ? [pinChange(chat.id, false, now)] : []),
      archiveChange(chat.id, value, newest, now),
    ]),

  async 'chats.pin'(context, { phone, value }) {
    const { ask, session, directory, clock } = context
    const found = await chatAt(context, phone)
    // The pinned chats are counted after earlier changes are made. Otherwise several changes at the same time could
    // exceed the limit.
    const make = () => {
      const chat = directory.chat([found.id]) ?? found
      if (value && !chat.isPinned && directory.pinned() >= MAX_PINNED)
        throw new Failure('not_allowed', {
          message: `The account already has ${MAX_PINNED} pinned chats, which is the maximum; unpin one first.`,
        })
      const now = clock.now()
      const newest = newestOf(chat, Math.floor(now / SECOND))
      return [...(value ? [archiveChange(chat.id, false, newest, now)] : []), pinChange(chat.id, value, now)]
    }
    await ask.run(() => session.change({ collection: 'regular_low', make }))
    return DONE
  },

  'chats.mute': (context, { phone, value, duration_seconds: seconds }) =>
    change(context, phone, ({ chat, now }) => {
      const until = seconds === undefined ? -1 : now + seconds * SECOND
      return [muteChange(chat.id, value ? until : null, now)]
    }),

  async 'chats.read'(context, { phone, value }) {
    const { ask, session, messages } = context
    if (value) {
      const { id, other, unread } = await chatAt(context, phone)
      const keys = messages.received([id, other], Math.min(unread, MAX_RECEIPTS))
      if (keys.length > 0) await ask.run(() => session.markRead(keys))
    }
    return change(context, phone, ({ chat, newest, now }) => [readChange(chat.id, value, newest, now)])
  },

  async 'chats.expiration'(context, { phone, value }) {
    await context.directory.ready()
    if (phone.kind === 'group') await expireInGroup(context, phone, value)
    else await expireWithPerson(context, phone, value)
    return DONE
  },

  'chats.clear': (context, { phone, keep_starred }) =>
    change(context, phone, ({ chat, newest, now }) => [clearChange(chat.id, keep_starred, newest, now)]),

  'chats.delete': (context, { phone }) => change(context, phone, ({ chat, newest, now }) => [deleteChange(chat.id, newest, now)]),

  async 'chats.star'(context, { phone, message_id, value }) {
    const { id, other } = await chatAt(context, phone)
    const names = new Set([id, other])
    const message = await context.messages.get(message_id, ({ remoteJid, remoteJidAlt }) =>
      [remoteJid, remoteJidAlt].some((jid) => jid && names.has(jid)),
    )
    if (!message) throw new Failure('message_not_found')
    // A star can still be removed from a deleted message, because the message may have been starred before it was
    // deleted.
    if (value && isDeleted(message)) throw new Failure('message_not_found', { message: 'The message was deleted.' })
    return change(context, phone, ({ chat, now }) => [starChange(chat.id, message.key, value, now)])
  },
}
