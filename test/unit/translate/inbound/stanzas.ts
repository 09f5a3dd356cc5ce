import type { BinaryNode } from '@whiskeysockets/baileys'
import { ANA, ANA_LID } from './context.ts'

export const node = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode['content']): BinaryNode =>
  content === undefined ? { tag, attrs } : { tag, attrs, content }
const participant = node('participant', { jid: ANA_LID, phone_number: ANA })
const mex = (json: unknown) => node('notification', { type: 'mex' }, [node('update', {}, Buffer.from(JSON.stringify(json)))])

export const GROUP_CHANGES = [
  node('create', {}, [node('group', { subject: 'x' }, [participant])]),
  node('subject', { subject: 'x' }),
  node('description', {}, [node('body', {}, Buffer.from('x'))]),
  ...['announcement', 'not_announcement', 'locked', 'unlocked', 'not_ephemeral'].map((tag) => node(tag)),
  ...['add', 'remove', 'leave', 'promote', 'demote', 'modify'].map((tag) => node(tag, {}, [participant, participant])),
  node('ephemeral', { expiration: '86400' }),
  node('invite', { code: 'x' }),
  node('member_add_mode', {}, Buffer.from('admin_add')),
  node('membership_approval_mode', {}, [node('group_join', { state: 'on' })]),
  node('created_membership_requests', { request_method: 'invite_link' }, [node('requested_user', participant.attrs)]),
  node('revoked_membership_requests', {}, [participant]),
]
export const STANZAS = [
  ...GROUP_CHANGES.map((change) =>
    node('notification', { type: 'w:gp2', from: '1@g.us', participant: ANA_LID, t: '1' }, [change]),
  ),
  node('notification', { type: 'newsletter', from: '1@newsletter' }, [
    node('participant', { jid: ANA, role: 'ADMIN' }),
    node('reaction', { message_id: '1' }, [node('reaction', { code: '👍' })]),
  ]),
  mex({ operation: 'NotificationNewsletterAdminPromote', updates: [{ jid: '1@newsletter', user: ANA }] }),
  mex({ operation: 'NotificationNewsletterAdminDemote', data: { x: { id: '1@newsletter', user: { pn: ANA } } } }),
  node('receipt', { from: ANA, id: '1', type: 'read', t: '1' }, [node('list', {}, [node('item', { id: '2' })])]),
  node('presence', { from: ANA, type: 'unavailable', last: '1' }),
  node('chatstate', { from: ANA }, [node('composing', { media: 'audio' })]),
]
