/**
 * The GraphQL operations of `w:mex`. The web client identifies each operation by a number, which changes between its
 * builds; the older numbers are tried if the network does not know the newest.
 *   <iq to="s.whatsapp.net" type="get" xmlns="w:mex"><query query_id>{"variables":{…}}</query></iq>   → <result>{"data":{field:…},"errors":[…]}</result>
 * To add an operation, add a row with its name in the web client, its `id`, and the `field` of `data` that contains the
 * answer.
 * When an id changes, put the new one into `id`, and the old one first into `older`; a function there computes the
 * variables of an older build.
 */
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import { type Json, jsonObject, object, objects, textOf } from './json.ts'

export interface MexForm {
  id: string
  field: string
  variables: Json
}

export interface MexOperation {
  id: string
  field: string
  older?: readonly (string | ((today: Json) => MexForm))[]
}

/**
 * The ids are those of the web client 2.3000.1045798079 (August 2026). The older ids are from the library (rc14) and
 * from captured answers.
 */
export const MEX = {
  CreateNewsletter: { id: '25149874324715067', field: 'xwa2_newsletter_create', older: ['8823471724422422'] },
  UpdateNewsletter: { id: '24250201037901610', field: 'xwa2_newsletter_update' },
  DeleteNewsletter: { id: '30062808666639665', field: 'xwa2_newsletter_delete_v2' },
  FetchNewsletter: {
    id: '27456920720571478',
    field: 'xwa2_newsletter',
    older: ['35452404184358876', '6563316087068696'],
  },
  FetchAllNewslettersMetadata: { id: '25399611239711790', field: 'xwa2_newsletter_subscribed' },
  FetchNewsletterFollowers: { id: '27472091235714801', field: 'xwa2_newsletter_followers' },
  FetchNewsletterPendingInvites: { id: '9783111038412085', field: 'xwa2_newsletter_admin' },
  FetchNewsletterAdminInfo: {
    id: '26278439461859188',
    field: 'xwa2_newsletter_admin',
    older: ['34983385154639574', '7130823597031706'],
  },
  FetchNewsletterMessageReactionSenderList: { id: '29575462448733991', field: 'xwa2_newsletters_reaction_sender_list' },
  FetchRecommendedNewsletters: { id: '25806748772361516', field: 'xwa2_newsletters_recommended' },
  FetchSimilarNewsletters: { id: '26217043484590756', field: 'xwa2_newsletters_similar' },
  FetchNewsletterDirectoryList: { id: '26125047313831973', field: 'xwa2_newsletters_directory_list' },
  FetchNewsletterDirectorySearchResults: { id: '26301059626252132', field: 'xwa2_newsletters_directory_search' },
  JoinNewsletter: { id: '24404358912487870', field: 'xwa2_newsletter_join_v2' },
  LeaveNewsletter: { id: '9767147403369991', field: 'xwa2_newsletter_leave_v2' },
  // Older builds of the web client had separate mutations for muting and unmuting, which `muteOfBefore` builds.
  UpdateNewsletterUserSetting: { id: '31938993655691868', field: 'xwa2_newsletter_update_user_setting', older: [muteOfBefore] },
  ChangeNewsletterOwner: { id: '9546742745432473', field: 'xwa2_newsletter_change_owner', older: ['7341777602580933'] },
  DemoteNewsletterAdmin: {
    id: '9880997548630971',
    field: 'xwa2_newsletter_admin_demote',
    older: [(variables) => ({ id: '6551828931592903', field: 'xwa2_newsletter_demote', variables })],
  },
  CreateNewsletterAdminInvite: { id: '9387141988078609', field: 'xwa2_newsletter_admin_invite_create' },
  RevokeNewsletterAdminInvite: { id: '9656078347839416', field: 'xwa2_newsletter_admin_invite_revoke' },
  AcceptNewsletterAdminInvite: { id: '9580828702035549', field: 'xwa2_newsletter_admin_invite_accept' },
  FetchGroupInviteCode: { id: '29247029834912157', field: 'xwa2_group_query_by_id' },
  FetchAllSubgroups: { id: '9935467776504344', field: 'xwa2_group_query_by_id' },
  QuerySubgroupParticipantCount: { id: '24079399904996141', field: 'xwa2_group_query_by_id' },
  UpdateGroupProperty: { id: '9418211574894172', field: 'xwa2_group_update_property' },
  FetchReachoutTimelock: { id: '23983697327930364', field: 'xwa2_fetch_account_reachout_timelock' },
  FetchNewChatMessageCappingInfo: {
    id: '27910975521856601',
    field: 'xwa2_message_capping_info',
    older: ['24503548349331633'],
  },
} as const satisfies Readonly<Record<string, MexOperation>>

export type MexName = keyof typeof MEX

export function muteOfBefore({ input }: Json): MexForm {
  const { newsletter_id, value } = object(input)
  const isMuted = value === 'ON'
  return {
    ...(isMuted
      ? { id: '29766401636284406', field: 'xwa2_newsletter_mute_v2' }
      : { id: '9864994326891137', field: 'xwa2_newsletter_unmute_v2' }),
    variables: { newsletter_id },
  }
}

/**
 * Returns all variants of a query in the order in which they are tried. `id` is from the configuration and comes first.
 */
export function mexForms(name: MexName, variables: Json, id?: string): MexForm[] {
  const operation: MexOperation = MEX[name]
  const { field, older = [] } = operation
  const ids = [...new Set([...(id === undefined ? [] : [id]), operation.id])]
  return [
    ...ids.map((number) => ({ id: number, field, variables })),
    ...older.map((way) => (typeof way === 'string' ? { id: way, field, variables } : way(variables))),
  ]
}

export const mexQuery = ({ id, variables }: MexForm): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:mex' },
  content: [{ tag: 'query', attrs: { query_id: id }, content: Buffer.from(JSON.stringify({ variables })) }],
})

/**
 * `unknown`: the network does not know this operation, and nothing was done. `empty`: the answer has neither data nor
 * an error. `error` is the first error of the network.
 */
export type MexAnswer =
  | { kind: 'data'; value: unknown }
  | { kind: 'unknown'; error: Json }
  | { kind: 'refused'; error: Json }
  | { kind: 'empty' }

const BAD_REQUEST = 400

export function mexAnswer(answer: BinaryNode, field: string): MexAnswer {
  const content = getBinaryNodeChild(answer, 'result')?.content
  const text = typeof content === 'string' ? content : content instanceof Uint8Array ? Buffer.from(content).toString() : null
  const json = jsonObject(text)
  // An answer may have data and errors, if only a part of the requested fields was found.
  const value = object(json.data)[field]
  if (value !== undefined && value !== null) return { kind: 'data', value }
  const [error] = objects(json.errors)
  if (!error) return value === null ? { kind: 'data', value } : { kind: 'empty' }
  return { kind: isUnknown(json.data, error) ? 'unknown' : 'refused', error }
}

/**
 * Whether the network does not know the operation. The error then names no field; if only a variable is wrong, the
 * error names the field.
 */
const isUnknown = (data: unknown, { extensions, path }: Json) =>
  (data === null || data === undefined) &&
  object(extensions).error_code === BAD_REQUEST &&
  (path === undefined || (Array.isArray(path) && path.length === 0))

export type ViewRole = 'GUEST' | 'SUBSCRIBER' | 'ADMIN' | 'OWNER'

/**
 * Returns the variables of a query about a channel. The network refuses a query if one of these variables is missing.
 */
export const newsletterLookUp = (key: string, type: 'JID' | 'INVITE', viewRole: ViewRole): Json => ({
  fetch_creation_time: true,
  fetch_full_image: true,
  fetch_pinned_messages: false,
  fetch_status_metadata: false,
  fetch_viewer_metadata: true,
  fetch_wamo_sub: false,
  input: { key, type, view_role: viewRole },
})

export function newsletterName(description: unknown): string | null {
  const { name, thread_metadata: metadata } = object(description)
  const inner = object(metadata).name
  return textOf(name) ?? textOf(object(inner).text) ?? textOf(inner)
}
