/** The areas of the API, with all of its operations. The dashboard has further operations (`dashboardEndpoints`). */
import * as accountConnectLinks from './account/connect-links.ts'
import * as accountInstances from './account/instances.ts'
import * as accountUsage from './account/usage.ts'
import * as accountWebhooks from './account/webhooks.ts'
import * as adminApiKeys from './admin/api-keys.ts'
import * as adminMoving from './admin/moving.ts'
import * as adminNodes from './admin/nodes.ts'
import * as adminOauthApps from './admin/oauth-apps.ts'
import * as adminSecurity from './admin/security.ts'
import * as adminWebhookLog from './admin/webhook-log.ts'
import * as adminWorkspace from './admin/workspace.ts'
import * as businessCatalog from './business/catalog.ts'
import * as businessCollections from './business/collections.ts'
import * as businessProfile from './business/profile.ts'
import * as chats from './chats.ts'
import * as communities from './communities/communities.ts'
import * as communityMembers from './communities/members.ts'
import * as contacts from './contacts.ts'
import * as dashboard from './dashboard.ts'
import type { Endpoint, OperationsOf } from './endpoint.ts'
import * as groups from './groups/groups.ts'
import * as groupInvitations from './groups/invitations.ts'
import * as groupParticipants from './groups/participants.ts'
import * as instance from './instance.ts'
import * as labels from './labels.ts'
import * as media from './media.ts'
import * as messages from './messages.ts'
import * as newsletterAdministrators from './newsletters/administrators.ts'
import * as newsletterDiscovery from './newsletters/discovery.ts'
import * as newsletters from './newsletters/newsletters.ts'
import * as passkey from './passkey.ts'
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
  passkey,
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
  communities,
  communityMembers,
  newsletterDiscovery,
  newsletters,
  newsletterAdministrators,
  businessProfile,
  businessCatalog,
  businessCollections,
  queue,
  privacy,
  profile,
  contacts,
  chats,
  labels,
  webhooks,
  accountInstances,
  accountConnectLinks,
  accountUsage,
  accountWebhooks,
  adminWorkspace,
  adminApiKeys,
  adminSecurity,
  adminMoving,
  adminOauthApps,
  adminNodes,
  adminWebhookLog,
  system,
]

const isEndpoint = (value: object): value is Endpoint => 'kind' in value && 'access' in value

export const endpoints: readonly Endpoint[] = areas.flatMap((area) => Object.values<object>(area).filter(isEndpoint))

export const dashboardEndpoints: readonly Endpoint[] = Object.values<object>(dashboard).filter(isEndpoint)

export type ShardOperations = OperationsOf<(typeof areas)[number] | typeof dashboard>
