import { z } from 'zod'
import { writesAt } from '../writes.ts'
import { channel, person } from './objects.ts'

const { write } = writesAt(channel)

export const acceptInvite = write('newsletters.acceptAdminInvite', 'POST /newsletters/{newsletter_id}/admin-invite/accept', {
  summary: 'Accept an invitation to administer a channel',
  description:
    "Accepts the network's terms for channel administrators. Answers `newsletter_not_found` if there is no invitation.",
  input: {},
})

export const revokeInvite = write('newsletters.revokeAdminInvite', 'POST /newsletters/{newsletter_id}/admin-invite/revoke', {
  summary: 'Revoke an invitation to administer a channel',
  input: { phone: person },
  example: { phone: '5511988887777' },
})

export const removeAdmin = write('newsletters.removeAdmin', 'POST /newsletters/{newsletter_id}/admins/remove', {
  summary: 'Remove an administrator of a channel',
  input: { phone: person },
  example: { phone: '5511988887777' },
})

export const transferOwnership = write('newsletters.transferOwnership', 'POST /newsletters/{newsletter_id}/transfer-ownership', {
  summary: 'Transfer the ownership of a channel',
  description:
    'The new owner must be an administrator of the channel. If the transfer succeeds but giving up the own role fails, `details.ownership_transferred` of the error is true.',
  input: {
    phone: person,
    quit_admin: z.boolean().default(false).meta({ description: 'Whether this account also gives up its administrator role.' }),
  },
  example: { phone: '5511988887777', quit_admin: false },
})
