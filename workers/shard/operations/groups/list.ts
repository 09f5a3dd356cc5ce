import { pageOf } from '../../../../src/domain/page.ts'
import type { InputOfEndpoint, ReplyOfEndpoint } from '../../../../src/features/endpoint.ts'
import type { ChatEntry } from '../../directory/entries.ts'
import type { GroupEntry } from '../../groups/group-entry.ts'
import { identifierOf } from '../../wire/jid.ts'
import { chatFlags } from '../chats/chat-object.ts'
import type { ActionContext } from '../types.ts'

type Operation = typeof import('../../../../src/features/groups/groups.ts').list
type Listed = ReplyOfEndpoint<Operation>['data'][number]

/**
 * Returns the groups of the account. Queries the network only if the list was never read, or if groups may have changed
 * since.
 */
export const entriesOf = ({ ask, session }: ActionContext): Promise<GroupEntry[]> => ask.run(() => session.groups.list())

export async function list(context: ActionContext, query: InputOfEndpoint<Operation>) {
  const { directory, clock } = context
  await directory.ready()
  const groups = (await entriesOf(context)).flatMap((group) =>
    group.isCommunity ? [] : [{ group, chat: directory.chat([group.id]) }],
  )
  const at = ({ chat, group }: (typeof groups)[number]) => chat?.activeAt || group.createdAt
  const isUsed = ({ chat }: (typeof groups)[number]) => Number(Boolean(chat?.last))
  groups.sort((one, other) => at(other) - at(one) || isUsed(other) - isUsed(one))
  return pageOf(groups, query, ({ group, chat }) => listed(group, chat, clock.now()))
}

const listed = (group: GroupEntry, chat: ChatEntry | undefined, now: number): Listed => ({
  phone: identifierOf(group.id),
  name: group.subject,
  community_id: group.parent === null ? null : identifierOf(group.parent),
  is_group_announcement: group.isAnnouncement,
  participants_count: group.size,
  ...chatFlags(chat, now),
})
