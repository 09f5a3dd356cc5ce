/** The list of areas; nothing else registers anything. */
import * as accountInstances from './account/instances.ts'
import * as accountWebhooks from './account/webhooks.ts'
import * as adminApiKeys from './admin/api-keys.ts'
import * as adminSecurity from './admin/security.ts'
import * as adminWorkspace from './admin/workspace.ts'
import * as contacts from './contacts.ts'
import type { Endpoint, OperationsOf } from './endpoint.ts'
import * as groups from './groups/groups.ts'
import * as groupInvitations from './groups/invitations.ts'
import * as groupParticipants from './groups/participants.ts'
import * as instance from './instance.ts'
import * as media from './media.ts'
import * as messages from './messages.ts'
import * as privacy from './privacy.ts'
import * as profile from './profile.ts'
import * as queue from './queue.ts'
import * as actions from './send/actions.ts'
import * as commerce from './send/commerce.ts'
import * as contents from './send/contents.ts'
import * as events from './send/events.ts'
import * as interactive from './send/interactive.ts'
import * as sentMedia from './send/media.ts'
import * as polls from './send/polls.ts'
import * as status from './send/status.ts'
import * as text from './send/text.ts'
import * as system from './system.ts'
import * as webhooks from './webhooks.ts'

const areas = [
  instance,
  text,
  messages,
  sentMedia,
  media,
  contents,
  actions,
  polls,
  interactive,
  commerce,
  status,
  events,
  groupInvitations,
  groups,
  groupParticipants,
  queue,
  privacy,
  profile,
  contacts,
  webhooks,
  accountInstances,
  accountWebhooks,
  adminWorkspace,
  adminApiKeys,
  adminSecurity,
  system,
]

const isEndpoint = (value: object): value is Endpoint => 'kind' in value && 'access' in value

export const endpoints: readonly Endpoint[] = areas.flatMap((area) => Object.values<object>(area).filter(isEndpoint))

/** Input and answer of every operation that a shard carries out, by its id. */
export type ShardOperations = OperationsOf<(typeof areas)[number]>
