import { cutOrEmpty, cutOrNull, secondsToIso } from '../../wire/bounds.ts'
import { identifierOf } from '../../wire/jid.ts'
import { block, type Family } from './family.ts'

export const groupInvite: Family = ({ message }) => {
  const invite = message.groupInviteMessage
  if (!invite?.groupJid) return null
  return block('group_invite', {
    group_id: identifierOf(invite.groupJid),
    group_name: cutOrEmpty(invite.groupName, 256),
    invite_code: cutOrEmpty(invite.inviteCode, 64),
    caption: cutOrNull(invite.caption, 1_024),
    expires_at: secondsToIso(invite.inviteExpiration),
  })
}

export const newsletterAdminInvite: Family = ({ message }) => {
  const invite = message.newsletterAdminInviteMessage
  if (!invite?.newsletterJid) return null
  return block('newsletter_admin_invite', {
    newsletter_id: identifierOf(invite.newsletterJid),
    newsletter_name: cutOrEmpty(invite.newsletterName, 256),
    text: cutOrNull(invite.caption, 1_024),
    expires_at: secondsToIso(invite.inviteExpiration),
  })
}

export const newsletterInvite: Family = ({ message }) => {
  const invite = message.newsletterFollowerInviteMessageV2
  if (!invite?.newsletterJid) return null
  return block('newsletter_invite', {
    newsletter_id: identifierOf(invite.newsletterJid),
    newsletter_name: cutOrEmpty(invite.newsletterName, 256),
    text: cutOrNull(invite.caption, 1_024),
  })
}
