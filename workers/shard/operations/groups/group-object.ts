import type { ReplyOfEndpoint } from '../../../../src/features/endpoint.ts'
import { cut, cutOrNull, secondsToIso } from '../../wire/bounds.ts'
import type { Group } from '../../wire/groups.ts'
import { identifierOf } from '../../wire/jid.ts'
import type { Identity } from '../../wire/person.ts'

export type GroupObject = ReplyOfEndpoint<typeof import('../../../../src/features/groups/groups.ts').metadata>
export type GroupSettings = ReplyOfEndpoint<typeof import('../../../../src/features/groups/groups.ts').updateSettings>
export type Invitation = Pick<GroupObject, 'invitation_link' | 'invitation_link_error'>

const MAX_PARTICIPANTS = 5_000
const MAX_NAME = 100
const MAX_DESCRIPTION = 2_048

export const NO_INVITATION: Invitation = { invitation_link: null, invitation_link_error: null }

export const invitationLinkOf = (code: string) => `https://chat.whatsapp.com/${code}`

/**
 * Returns a group as the API shows it. If the network sends the number of a person, this number is preferred to the one
 * that is stored here.
 */
export async function groupObject(identity: Identity, group: Group, invitation: Invitation): Promise<GroupObject> {
  const phoneOf = async (jid: string | undefined, pn: string | undefined) =>
    jid || pn ? (await identity.person((jid ?? pn)!, pn)).phone : null
  return {
    phone: identifierOf(group.id),
    name: cut(group.subject ?? '', MAX_NAME),
    description: cutOrNull(group.desc, MAX_DESCRIPTION),
    owner: await phoneOf(group.owner, group.ownerPn),
    created_at: isoOf(group.creation),
    name_changed_at: isoOf(group.subjectTime),
    name_changed_by: await phoneOf(group.subjectOwner, group.subjectOwnerPn),
    community_id: group.linkedParent ? identifierOf(group.linkedParent) : null,
    is_community: group.isCommunity === true,
    is_group_announcement: group.isCommunityAnnounce === true,
    ...settingsOf(group),
    participants_count: group.size ?? group.participants.length,
    participants: await Promise.all(
      group.participants.slice(0, MAX_PARTICIPANTS).map(async ({ id, phoneNumber, lid, admin }) => ({
        ...(await identity.person(id, phoneNumber ?? lid)),
        is_admin: Boolean(admin),
        is_super_admin: admin === 'superadmin',
      })),
    ),
    ...invitation,
  }
}

export const settingsOf = (group: Group): GroupSettings => ({
  admin_only_message: group.announce === true,
  admin_only_settings: group.restrict === true,
  // In Baileys, `memberAddMode` true means that everybody may add members.
  admin_only_add_member: group.memberAddMode !== true,
  require_admin_approval: group.joinApprovalMode === true,
  ephemeral_seconds: group.ephemeralDuration ?? 0,
})

export const isAdmin = ({ participants }: Group, { isMe }: Pick<Identity, 'isMe'>): boolean =>
  participants.some(({ id, admin }) => Boolean(admin) && isMe(id))

const isoOf = (seconds: number | undefined) => (seconds && Number.isFinite(seconds) ? secondsToIso(seconds) : null)
