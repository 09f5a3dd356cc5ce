/** Administrators of a channel (shared/api/newsletters.md). Inviting somebody is a send: `send.sendNewsletterAdminInvite`. */
import { z } from 'zod'
import { writesAt } from '../writes.ts'
import { channel, person } from './objects.ts'

const { write } = writesAt(channel)

export const acceptInvite = write('newsletters.acceptAdminInvite', 'POST /newsletters/{newsletter_id}/admin-invite/accept', {
  summary: 'Accept an invitation to run a channel',
  description: "Accepts the network's terms for administrators of channels. `newsletter_not_found` where there is no invitation.",
  input: {},
})

export const revokeInvite = write('newsletters.revokeAdminInvite', 'POST /newsletters/{newsletter_id}/admin-invite/revoke', {
  summary: 'Take back an invitation to run a channel',
  input: { phone: person },
  example: { phone: '5511988887777' },
})

export const removeAdmin = write('newsletters.removeAdmin', 'POST /newsletters/{newsletter_id}/admins/remove', {
  summary: 'Take the administrator role of a channel from somebody',
  input: { phone: person },
  example: { phone: '5511988887777' },
})

export const transferOwnership = write('newsletters.transferOwnership', 'POST /newsletters/{newsletter_id}/transfer-ownership', {
  summary: 'Hand a channel over',
  description:
    'To one of its administrators. When only giving up the own role fails, `details.ownership_transferred` of the error is true.',
  input: {
    phone: person,
    quit_admin: z.boolean().default(false).meta({ description: 'This account is no administrator afterwards.' }),
  },
  example: { phone: '5511988887777', quit_admin: false },
})
