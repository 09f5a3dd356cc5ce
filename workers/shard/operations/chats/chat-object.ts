import type { ReplyOfEndpoint } from '../../../../src/features/endpoint.ts'
import type { Session } from '../../chats/session.ts'
import type { AccountDirectory } from '../../directory/account-directory.ts'
import type { ChatEntry } from '../../directory/entries.ts'
import { cutOrNull, millisecondsToIso, secondsToIso } from '../../wire/bounds.ts'
import { chatKind, identifierOf } from '../../wire/jid.ts'

type ChatObject = ReplyOfEndpoint<typeof import('../../../../src/features/chats.ts').list>['data'][number]

const MAX_NAME = 100
const LIFETIMES = [0, 86_400, 604_800, 7_776_000]

export async function chatObject(
  { session, directory }: { session: Session; directory: AccountDirectory },
  chat: ChatEntry,
  now: number,
): Promise<ChatObject> {
  const isGroup = chatKind(chat.id) === 'group'
  const { phone, lid } = isGroup
    ? { phone: identifierOf(chat.id), lid: null }
    : await session.identity.person(chat.id, chat.other)
  const group = isGroup ? session.groups.known(chat.id) : undefined
  const person = isGroup ? undefined : directory.contact([chat.id, chat.other])
  const lifetime = group ? (group.ephemeralDuration ?? 0) : chat.ephemeralSeconds
  return {
    phone,
    lid,
    name: cutOrNull(person?.name ?? person?.pushName ?? group?.subject ?? chat.name, MAX_NAME),
    is_group: isGroup,
    is_group_announcement: group ? group.isCommunityAnnounce === true : chat.isAnnouncement,
    ...chatFlags(chat, now),
    marked_unread: chat.isMarkedUnread,
    ephemeral_seconds: LIFETIMES.includes(lifetime) ? lifetime : 0,
    labels: chat.labels,
  }
}

/** `chat` is undefined if the directory has no entry for the chat. `now` is in epoch ms. */
export function chatFlags(chat: ChatEntry | undefined, now: number) {
  const mutedUntil = chat?.mutedUntil ?? 0
  const isMuted = mutedUntil === -1 || mutedUntil > now
  return {
    unread: chat?.unread ?? 0,
    last_message_at: chat ? secondsToIso(chat.activeAt) : null,
    archived: chat?.isArchived ?? false,
    pinned: chat?.isPinned ?? false,
    muted: isMuted,
    mute_ends_at: isMuted ? millisecondsToIso(mutedUntil) : null,
  }
}
