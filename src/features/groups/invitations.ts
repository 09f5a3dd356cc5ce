/** Operations on invitation links of groups. */
import { z } from 'zod'
import { action } from '../endpoint.ts'
import { linkTo } from '../invitation-links.ts'
import { Group, groupExample, groupId, groupIdExample, linkExample } from './objects.ts'

const LINK = /^(?:https?:\/\/)?chat\.whatsapp\.com\/(?:invite\/)?([\w-]+)\/?(?:[?#].*)?$/i
const url = linkTo(LINK, 'https://chat.whatsapp.com/<code>', linkExample)

export const invitationMetadata = action('groups.invitationMetadata', 'GET /groups/invitation', {
  writes: false,
  summary: 'Read the group to which an invitation link leads',
  input: { url },
  reply: Group,
  notFound: 'invite_link_invalid',
  errors: ['group_suspended'],
  examples: [{ name: 'link', input: { url: linkExample }, reply: groupExample }],
})

export const acceptInvitation = action('groups.acceptInvitation', 'POST /groups/invitation/accept', {
  writes: true,
  summary: 'Join a group by its invitation link',
  input: { url },
  reply: z.object({
    value: z.literal(true),
    phone: z.string().nullable().meta({ description: 'Id of the group; null if the network does not report it yet.' }),
    pending_approval: z.boolean().meta({ description: 'Whether an administrator must approve the request.' }),
  }),
  notFound: 'invite_link_invalid',
  errors: ['group_suspended'],
  examples: [
    {
      name: 'join',
      input: { url: linkExample },
      reply: { value: true, phone: '120363019502650977-group', pending_approval: false },
    },
  ],
})

const InvitationLink = z.object({ phone: z.string(), invitation_link: z.string() })
const invitationLinkExample = { phone: '120363019502650977-group', invitation_link: linkExample }

export const invitationLink = action('groups.invitationLink', 'GET /groups/{group_id}/invitation-link', {
  writes: false,
  summary: 'Read the invitation link of a group',
  input: { group_id: groupId },
  reply: InvitationLink,
  notFound: 'group_not_found',
  errors: ['invalid_phone', 'group_suspended'],
  examples: [{ name: 'link', input: groupIdExample, reply: invitationLinkExample }],
})

export const resetInvitationLink = action('groups.resetInvitationLink', 'POST /groups/{group_id}/invitation-link', {
  writes: true,
  summary: 'Revoke the invitation link of a group and create a new one',
  input: { group_id: groupId },
  reply: InvitationLink,
  notFound: 'group_not_found',
  errors: ['invalid_phone', 'group_suspended'],
  examples: [{ name: 'link', input: groupIdExample, reply: invitationLinkExample }],
})
