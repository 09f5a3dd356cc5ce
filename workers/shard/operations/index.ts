import type { OperationId } from '../../../src/engine/engine.ts'
import { businessCatalog } from './business/catalog.ts'
import { businessCollections } from './business/collections.ts'
import { businessProfile } from './business/profile.ts'
import { chats } from './chats/chats.ts'
import { communities } from './communities/communities.ts'
import { communityMembers } from './communities/members.ts'
import { contacts } from './contacts.ts'
import { dashboard } from './dashboard.ts'
import { groups } from './groups/groups.ts'
import { groupInvitations } from './groups/invitations.ts'
import type { Inviting } from './groups/newcomers.ts'
import { groupParticipants } from './groups/participants.ts'
import { connecting, instance, moving } from './instance.ts'
import { labels } from './labels.ts'
import { media } from './media.ts'
import { messages } from './messages.ts'
import { newsletterAdministrators } from './newsletters/administrators.ts'
import { newsletterDiscovery } from './newsletters/discovery.ts'
import { newsletters } from './newsletters/newsletters.ts'
import { passkey } from './passkey.ts'
import { privacy } from './privacy.ts'
import { profile } from './profile.ts'
import { queue } from './queue.ts'
import { actions } from './send/actions.ts'
import { commerce } from './send/commerce.ts'
import { contents } from './send/contents.ts'
import { events } from './send/events.ts'
import { sendInvitation } from './send/group-invitation.ts'
import { interactive } from './send/interactive.ts'
import { media as sentMedia } from './send/media.ts'
import { polls } from './send/polls.ts'
import { status } from './send/status.ts'
import { text } from './send/text.ts'
import type { Handler } from './types.ts'
import { webhooks } from './webhooks.ts'

const all = {
  ...dashboard,
  ...instance,
  ...moving,
  ...connecting,
  ...passkey,
  ...queue,
  ...messages,
  ...media,
  ...groupInvitations,
  ...groups,
  ...groupParticipants,
  ...communities,
  ...communityMembers,
  ...newsletterDiscovery,
  ...newsletters,
  ...newsletterAdministrators,
  ...businessProfile,
  ...businessCatalog,
  ...businessCollections,
  ...text,
  ...sentMedia,
  ...contents,
  ...actions,
  ...polls,
  ...interactive,
  ...commerce,
  ...status,
  ...events,
  ...privacy,
  ...profile,
  ...contacts,
  ...chats,
  ...labels,
  ...webhooks,
}

const queued: Readonly<Record<string, unknown>> = {
  'instance.callReject': text['send.sendText'],
  'groups.create': sendInvitation,
  'groups.addParticipants': sendInvitation,
  'communities.addParticipants': sendInvitation,
} satisfies Record<Inviting | 'instance.callReject', Handler<'send'>>

const handlers: Readonly<Record<string, unknown>> = all satisfies Record<OperationId, unknown>

export function handlerOf<K extends 'send' | 'action' | 'control'>(kind: K, operation: string): Handler<K> | undefined {
  if (kind === 'send' && Object.hasOwn(queued, operation)) return queued[operation] as Handler<K>
  return Object.hasOwn(handlers, operation) ? (handlers[operation] as Handler<K>) : undefined
}
