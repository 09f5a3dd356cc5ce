/**
 * Routes that clients of other gateways already use. Each row is an additional route of an operation, with the
 * credentials and limits of that operation, and is not in the API description.
 */
import type { Dialect } from '../domain/dialect.ts'
import type { Route } from './endpoint.ts'
import type { RawFields } from './input.ts'

export interface Alias {
  route: Route
  /**
   * Id of the operation. If the row has `choose`, a call may go to another operation, but the credentials and limits of
   * the operation that is named here apply.
   */
  operation: string
  rename?: Readonly<Record<string, string>>
  takesBoth?: true
  /**
   * Converts values of fields, by the name of the field: each value that the alias accepts (in upper or lower case)
   * becomes a value of the operation.
   */
  values?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  own?: readonly string[]
  /** Fields that are added to the request, because the route itself implies their values. */
  fixed?: RawFields
  query?: true
  body?: true
  list?: string
  choose?: (fields: RawFields) => { operation?: string; fixed?: RawFields; issue?: { path: string; message: string } }
  /** Form of the answer. `done`: `{ value: true }`. `count`: only the `total`. */
  answer?: 'done' | 'count'
  /** The only dialect in which the route exists. There it takes precedence over routes with the same path. */
  dialect?: Dialect
}

const setting = (name: string, field: string): Alias => ({
  route: `PUT /update-${name}`,
  operation: 'instance.updateSettings',
  rename: { value: field },
  answer: 'done',
})

const CHAT_ACTIONS: Readonly<Record<string, { operation: string; fixed?: RawFields }>> = {
  archive: { operation: 'chats.archive', fixed: { value: true } },
  unarchive: { operation: 'chats.archive', fixed: { value: false } },
  pin: { operation: 'chats.pin', fixed: { value: true } },
  unpin: { operation: 'chats.pin', fixed: { value: false } },
  mute: { operation: 'chats.mute', fixed: { value: true } },
  unmute: { operation: 'chats.mute', fixed: { value: false } },
  read: { operation: 'chats.read', fixed: { value: true } },
  unread: { operation: 'chats.read', fixed: { value: false } },
  clear: { operation: 'chats.clear' },
  delete: { operation: 'chats.delete' },
}

const BLOCK_ACTIONS = { block: { operation: 'contacts.block' }, unblock: { operation: 'contacts.unblock' } }

const byAction =
  (actions: Readonly<Record<string, { operation: string; fixed?: RawFields }>>) =>
  ({ action }: RawFields) => {
    const name = typeof action === 'string' ? action.toLowerCase() : ''
    return Object.hasOwn(actions, name)
      ? actions[name]!
      : { issue: { path: 'action', message: `must be one of ${Object.keys(actions).join(', ')}` } }
  }

const BOTH = { issue: { path: 'community_id', message: 'cannot be given together with group_id' } }

/**
 * Declares a route that changes members and admins. If a request has the id of a community and not of a group, it
 * changes the community.
 */
const participants = (route: Route, verb: string): Alias => ({
  route,
  operation: `groups.${verb}`,
  own: ['group_id', 'community_id'],
  choose: ({ group_id, community_id }) =>
    community_id === undefined ? {} : group_id === undefined ? { operation: `communities.${verb}` } : BOTH,
})

const group = (route: Route, verb: string, field?: string): Alias => ({
  route,
  operation: `groups.${verb}`,
  ...(field ? { rename: { [field]: 'value' } } : {}),
})

const newsletter = (route: Route, verb: string, rename: Record<string, string> = {}): Alias => ({
  route,
  operation: `newsletters.${verb}`,
  rename: route.includes('{newsletter_id}') ? rename : { id: 'newsletter_id', ...rename },
})

const privacy = (route: Route, verb: string, rename: Record<string, string>): Alias => ({
  route,
  operation: `privacy.${verb}`,
  rename: { contacts_blacklist: 'contacts', ...rename },
})

const company = (route: Route, field: string): Alias => ({
  route,
  operation: 'business.updateProfile',
  rename: { value: field },
})

const webhook = (name: string, type: string): Alias => ({
  route: `PUT /update-webhook-${name}`,
  operation: 'webhooks.updateType',
  fixed: { type },
})

const same = (route: Route, operation: string, rest: Partial<Alias> = {}): Alias => ({ route, operation, ...rest })

/**
 * Further field names that an operation accepts on its main route. The API description does not have them, because a
 * generated client cannot have two parameters with the name `token`.
 */
export const furtherNames: Readonly<Record<string, Alias>> = {
  'business.order': {
    ...same('GET /business/orders/{order_id}', 'business.order', { rename: { token: 'order_token' } }),
    takesBoth: true,
  },
}

export const aliases: readonly Alias[] = [
  same('PUT /update-name', 'instance.rename'),
  same('POST /restore-session', 'instance.restart'),
  setting('auto-read-message', 'auto_read_message'),
  setting('auto-read-status', 'auto_read_status'),
  setting('call-reject-auto', 'call_reject_auto'),
  setting('call-reject-message', 'call_reject_message'),

  same('GET /queue/count', 'queue.list', { answer: 'count' }),

  same('PUT /profile-name', 'profile.updateName'),
  same('PUT /profile-picture', 'profile.updatePicture'),
  same('PUT /profile-description', 'profile.updateAbout'),

  same('GET /profile-picture', 'contacts.picture'),
  same('POST /contacts/add', 'contacts.add', { list: 'contacts' }),
  same('DELETE /contacts/remove', 'contacts.remove', { body: true, list: 'phones' }),
  same('POST /contacts/modify-blocked', 'contacts.block', { own: ['action'], choose: byAction(BLOCK_ACTIONS) }),

  same('POST /modify-chat', 'chats.archive', { own: ['action'], choose: byAction(CHAT_ACTIONS) }),
  same('POST /send-chat-expiration', 'chats.expiration', {
    rename: { chat_expiration: 'value' },
    values: { chat_expiration: { '24_hours': 86_400, '7_days': 604_800, '90_days': 7_776_000, off: 0 } },
  }),
  same('PUT /chats/{phone}/tags/{tag}/add', 'labels.addToChat', { rename: { tag: 'label_id' } }),
  same('PUT /chats/{phone}/tags/{tag}/remove', 'labels.removeFromChat', { rename: { tag: 'label_id' } }),

  same('POST /create-group', 'groups.create', { rename: { group_name: 'name' } }),
  group('POST /update-group-name', 'updateName', 'group_name'),
  group('POST /update-group-description', 'updateDescription', 'group_description'),
  group('POST /update-group-photo', 'updatePhoto', 'group_photo'),
  same('POST /update-group-settings', 'groups.updateSettings', { rename: { phone: 'group_id' } }),
  participants('POST /add-participant', 'addParticipants'),
  participants('POST /remove-participant', 'removeParticipants'),
  participants('POST /add-admin', 'promoteParticipants'),
  participants('POST /remove-admin', 'demoteParticipants'),
  group('POST /approve-participant', 'approveParticipants'),
  group('POST /reject-participant', 'rejectParticipants'),
  group('POST /leave-group', 'leave'),
  same('GET /group-metadata/{phone}', 'groups.metadata', { rename: { phone: 'group_id' } }),
  same('GET /light-group-metadata/{phone}', 'groups.lightMetadata', { rename: { phone: 'group_id' } }),
  group('GET /group-invitation-metadata', 'invitationMetadata'),
  group('GET /group-invitation-link/{group_id}', 'invitationLink'),
  same('POST /redefine-invitation-link/{group_id}', 'groups.resetInvitationLink', {
    own: ['group_id'],
    // On this route, an id of only digits is the id of a community.
    choose: ({ group_id }) =>
      typeof group_id === 'string' && /^\d+$/.test(group_id)
        ? { operation: 'communities.resetInvitationLink', fixed: { community_id: group_id } }
        : {},
  }),
  same('POST /accept-invite-group', 'groups.acceptInvitation', { query: true }),

  same('GET /communities-metadata/{community_id}', 'communities.metadata'),
  same('POST /communities/link', 'communities.linkGroups', { rename: { groups_phones: 'groups' } }),
  same('POST /communities/unlink', 'communities.unlinkGroups', { rename: { groups_phones: 'groups' } }),
  same('POST /communities/settings', 'communities.updateSettings', { rename: { who_can_add_new_groups: 'who_can_add_groups' } }),
  same('POST /update-community-description', 'communities.updateDescription', { rename: { community_description: 'value' } }),
  same('POST /update-community-photo', 'communities.updatePhoto', { rename: { community_photo: 'value' } }),

  newsletter('POST /create-newsletter', 'create'),
  newsletter('GET /newsletter', 'list'),
  newsletter('GET /newsletter/metadata/{newsletter_id}', 'metadata'),
  same('POST /search-newsletter', 'newsletters.search', {
    own: ['filters'],
    rename: { 'filters.country_codes': 'country_codes' },
    choose: ({ filters }) => {
      if (filters === undefined) return {}
      if (filters === null) return { issue: { path: 'filters', message: 'must not be null' } }
      if (typeof filters !== 'object' || Array.isArray(filters))
        return { issue: { path: 'filters', message: 'must be an object' } }
      const { country_codes: codes } = filters as { country_codes?: unknown }
      return codes === undefined ? {} : { fixed: { country_codes: codes } }
    },
  }),
  newsletter('POST /update-newsletter-name', 'updateName', { name: 'value' }),
  newsletter('POST /update-newsletter-description', 'updateDescription', { description: 'value' }),
  newsletter('POST /update-newsletter-picture', 'updatePicture', { picture_url: 'value' }),
  newsletter('PUT /follow-newsletter', 'follow'),
  newsletter('PUT /unfollow-newsletter', 'unfollow'),
  newsletter('PUT /mute-newsletter', 'mute'),
  newsletter('PUT /unmute-newsletter', 'unmute'),
  { ...newsletter('DELETE /delete-newsletter', 'delete'), query: true, body: true },
  newsletter('POST /newsletter/settings/{newsletter_id}', 'updateSettings'),
  newsletter('POST /newsletter/accept-admin-invite/{newsletter_id}', 'acceptAdminInvite'),
  newsletter('POST /newsletter/revoke-admin-invite/{newsletter_id}', 'revokeAdminInvite'),
  newsletter('POST /newsletter/remove-admin/{newsletter_id}', 'removeAdmin'),
  newsletter('POST /newsletter/transfer-ownership/{newsletter_id}', 'transferOwnership'),

  privacy('POST /privacy/last-seen', 'lastSeen', { visualization_type: 'value' }),
  privacy('POST /privacy/photo', 'profilePhoto', { visualization_type: 'value' }),
  privacy('POST /privacy/description', 'about', { visualization_type: 'value' }),
  privacy('POST /privacy/group-add', 'groupsAdd', { type: 'value' }),
  same('POST /privacy/online', 'privacy.online', {
    rename: { visualization_type: 'value' },
    values: { visualization_type: { all: 'all', same_last_seen: 'match_last_seen', match_last_seen: 'match_last_seen' } },
  }),
  same('POST /privacy/read-receipts', 'privacy.readReceipts', {
    query: true,
    values: { value: { enable: true, disable: false } },
  }),
  same('POST /privacy/messages-duration', 'privacy.messagesDuration', {
    query: true,
    values: { value: { disable: 0, hours24: 86_400, days7: 604_800, days90: 7_776_000 } },
  }),

  company('POST /business/company-description', 'description'),
  company('POST /business/company-address', 'address'),
  company('POST /business/company-email', 'email'),
  same('POST /business/company-websites', 'business.updateProfile'),
  same('POST /business/categories', 'business.updateProfile'),
  same('POST /business/hours', 'business.updateHours'),
  same('GET /business/available-categories', 'business.categories', { rename: { query: 'q' } }),
  same('POST /catalogs/config', 'business.updateCatalogConfig'),
  same('GET /catalogs', 'business.products'),
  same('POST /catalogs', 'business.products'),
  same('GET /catalogs/{phone}', 'business.products'),
  same('POST /catalogs/{phone}', 'business.products'),
  same('POST /products', 'business.createProduct', {
    rename: { id: 'product_id' },
    choose: ({ id }) => (id === undefined ? {} : { operation: 'business.updateProduct' }),
  }),
  same('GET /products/{product_id}', 'business.product'),
  same('DELETE /products/{product_id}', 'business.deleteProduct'),
  same('GET /catalogs/collection', 'business.collections'),
  same('POST /catalogs/collection', 'business.createCollection'),
  same('GET /catalogs/collection-products/{phone}', 'business.collectionProducts'),
  same('POST /catalogs/collection-edit/{collection_id}', 'business.updateCollection'),
  same('DELETE /catalogs/collection/{collection_id}', 'business.deleteCollection'),
  same('POST /catalogs/collection/add-product', 'business.updateCollection', { rename: { product_ids: 'add_product_ids' } }),
  same('POST /catalogs/collection/remove-product', 'business.updateCollection', {
    rename: { product_ids: 'remove_product_ids' },
  }),

  same('GET /tags', 'labels.list'),
  same('POST /business/create-tag', 'labels.create'),
  same('POST /business/edit-tag/{label_id}', 'labels.update'),
  same('DELETE /business/tag/{label_id}', 'labels.delete'),
  same('GET /business/tags/colors', 'labels.colors'),

  webhook('received', 'received'),
  webhook('delivery', 'delivery'),
  webhook('message-status', 'message_status'),
  webhook('chat-presence', 'chat_presence'),
  webhook('connected', 'instance_status'),
  webhook('disconnected', 'instance_status'),
  same('PUT /update-webhook-received-delivery', 'webhooks.update', {
    rename: { value: 'received_url' },
    choose: ({ value }) => ({
      fixed: value === null || value === '' ? { received_url: null } : { notify_sent_by_me: true },
    }),
  }),
  same('PUT /update-every-webhooks', 'webhooks.update', { rename: { value: 'single_url' } }),
  same('PUT /update-notify-sent-by-me', 'webhooks.update', {
    choose: ({ notify_sent_by_me }) =>
      notify_sent_by_me === undefined ? { issue: { path: 'notify_sent_by_me', message: 'is required' } } : {},
  }),

  same('POST /send-button-actions', 'send.sendButtons'),
  same('POST /send-button-list-image', 'send.sendButtonList'),
  same('POST /send-button-list-video', 'send.sendButtonList'),
  same('POST /send-document', 'send.sendDocument'),
  same('POST /send-pin-message', 'send.pinMessage'),
  same('POST /send-message-carousel', 'send.sendCarousel'),
  same('POST /send-order-status-update', 'send.orderStatusUpdate'),
  same('POST /delete-message', 'send.deleteMessage'),
  same('POST /reply-message', 'send.sendText'),
]
