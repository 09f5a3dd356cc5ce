/**
 * Lists the result that each immediate operation must have for each error code of the network. `network-codes.test.ts`
 * tests this table.
 */
import { endpoints } from '../../src/features/index.ts'

export const AREAS = ['groups', 'communities', 'newsletters', 'business', 'chats', 'contacts', 'profile', 'privacy', 'labels']
/** The operations of these areas that run while the caller waits for the answer. They may query the network. */
export const asked = endpoints.filter(({ id, kind }) => kind === 'action' && AREAS.includes(id.split('.')[0]!))

/** Operations that return a list from data that the service has stored. */
export const LISTS = ['groups.list', 'communities.list', 'contacts.list', 'chats.list', 'labels.list']
/** Operations that query the network only if their stored list is outdated. */
export const READ_LISTS = ['groups.list', 'communities.list']
export const READ_CODES: readonly (readonly [code: number, told: string])[] = [
  [403, 'not_allowed'],
  [500, 'action_failed'],
]
/**
 * Operations that need an account which is not a business, because the network does not let a business change its name.
 */
export const OF_A_PERSON = ['profile.updateName']

export const ids = asked.map(({ id }) => id)
export const asking = ids.filter((id) => !LISTS.includes(id))

function missing(id: string): string {
  const { fields, notFound } = asked.find((each) => each.id === id)!
  return 'group_id' in fields || 'community_id' in fields ? 'group_not_found' : notFound
}

const INVITED = ['groups.acceptInvitation', 'groups.invitationMetadata', 'newsletters.invitationMetadata']
/**
 * For these operations, the network's error code is the same for members and for others, so the service queries whether
 * the account is a member. In these tests that query is refused as well.
 */
const LOOKED_AT = [
  ...ids.filter((id) => missing(id) === 'group_not_found'),
  ...['metadata', 'messages', 'mute', 'unmute', 'unfollow', 'delete', 'removePicture', 'updatePicture', 'updateName'].map(
    (verb) => `newsletters.${verb}`,
  ),
  ...['updateDescription', 'updateSettings', 'invitationMetadata', 'revokeAdminInvite', 'removeAdmin', 'transferOwnership'].map(
    (verb) => `newsletters.${verb}`,
  ),
  'business.order',
]
const ABOUT_GROUPS = [
  ...ids.filter((id) => missing(id) === 'group_not_found'),
  ...['groups.create', 'groups.acceptInvitation', 'groups.invitationMetadata', 'communities.create', 'chats.expiration'],
]
const NAMED_FIELDS = ['business.createCollection', 'business.updateCollection']
/**
 * Operations that return an empty result if the network answers with 404, because then there is no catalog or no
 * picture.
 */
const NONE = ['business.collections', 'business.products', 'contacts.picture']
/** Operations that report an object as absent if it is hidden from the account. */
const HIDDEN = ['contacts.picture']

/**
 * Expected results by the network's error code. An operation without a row for a code must fail with `action_failed`,
 * except those in `LISTS`, which succeed.
 */
export const CODES: Record<number, readonly (readonly [ids: readonly string[], told: string | ((id: string) => string)])[]> = {
  400: [
    [INVITED, 'invite_link_invalid'],
    [NAMED_FIELDS, 'invalid_request'],
  ],
  401: [
    [HIDDEN, 'done'],
    [['chats.expiration'], 'chat_not_found'],
    [LOOKED_AT, missing],
    [ids, 'not_allowed'],
  ],
  404: [
    [NONE, 'done'],
    [['business.profile'], 'not_found'],
    [ids.filter((id) => missing(id) !== 'not_found'), missing],
  ],
  406: [
    [INVITED, 'invite_link_invalid'],
    [ids, 'invalid_request'],
  ],
  416: [[ABOUT_GROUPS, 'group_suspended']],
  // The network uses 419 in two cases: the group is full, or the account has too many groups.
  419: [[ids, 'not_allowed']],
  423: [
    [ids.filter((id) => missing(id) === 'newsletter_not_found'), 'newsletter_not_found'],
    [['newsletters.invitationMetadata'], 'invite_link_invalid'],
    [ABOUT_GROUPS, 'group_suspended'],
  ],
  429: [],
  451: [
    [ids.filter((id) => missing(id) === 'newsletter_not_found'), 'newsletter_not_found'],
    [['newsletters.invitationMetadata'], 'invite_link_invalid'],
    [ids, 'not_allowed'],
  ],
  500: [],
}
for (const same of [403, 405]) CODES[same] = CODES[401]!

/** Returns the error code of an operation, or `done`, if the network refuses all its queries with `code`. */
export function expected(id: string, code: number): string {
  if (LISTS.includes(id)) return 'done'
  const [, found = 'action_failed'] = CODES[code]!.find(([of]) => of.includes(id)) ?? []
  return typeof found === 'string' ? found : found(id)
}
