/**
 * Test functions (`Tell` in `story.ts`) about changes of a group. Each change must be reported one time, with the
 * person who made it.
 */
import assert from 'node:assert/strict'
import {
  ANA,
  ANA_LID,
  BEN,
  BEN_LID,
  CAROL,
  CAROL_LID,
  chatOf,
  type Event,
  type Fits,
  isId,
  ME,
  type Notification,
  nothingOr,
  type Story,
  type Tell,
} from './story.ts'

const by = {
  ana: { participant_phone: ANA, participant_lid: ANA_LID, sender_name: 'Ana' },
  ben: { participant_phone: BEN, participant_lid: BEN_LID, sender_name: 'Ben' },
  carol: { participant_phone: CAROL, participant_lid: CAROL_LID, sender_name: 'Carol' },
}

interface Team {
  /** Makes Ana change the group. */
  change(changes: object): Promise<unknown>
  people(action: string, actor: string, phones: string[], method?: string): Promise<unknown>
  told(parameters: (string | Fits)[], more?: Event): Promise<void>
}

/** Runs `tell` with two groups: the first one addresses its members by LID, and the second one by number. */
const inTeams =
  (name: Notification, tell: (team: Team) => Promise<unknown>): Tell =>
  async (story) => {
    for (const addressing of ['lid', 'pn'] as const) await inTeam(story, name, addressing, tell)
  }

async function inTeam(
  story: Story,
  name: Notification,
  addressing: 'lid' | 'pn',
  tell: (team: Team) => Promise<unknown>,
): Promise<void> {
  const { sandbox, receiver } = story.world
  const { id } = await sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, BEN, ME], addressing })
  const chat = chatOf(id)
  const here = ({ phone }: Event) => phone === chat
  let count = 0
  await tell({
    change: (changes) => sandbox.put(`/groups/${id}`, { by: ANA, ...changes }),
    people: (action, actor, phones, method) =>
      sandbox.post(`/groups/${id}/participants`, { by: actor, action, phones, ...(method ? { method } : {}) }),
    async told(parameters, more = {}) {
      count++
      story.compare(await story.notified(name, here), {
        message_id: isId,
        message_type: 'notification',
        phone: chat,
        chat_lid: null,
        is_group: true,
        chat_name: nothingOr('Team'),
        ...by.ana,
        notification: name,
        notification_parameters: parameters,
        ...more,
      })
    },
  })
  const told = receiver.events('received').filter((event) => event.notification === name && here(event))
  assert.equal(new Set(told.map(({ event_id }) => event_id)).size, count)
}

const switched = (name: Notification, field: string) =>
  inTeams(name, async ({ change, told }) => {
    await change({ [field]: true })
    await told(['on'])
    await change({ [field]: false })
    await told(['off'])
  })

const isNumber: Fits = (value) => /^\d+$/.test(String(value))

export const groupNotices = {
  group_create: inTeams('group_create', ({ told }) => told(['Team'])),

  group_change_subject: inTeams('group_change_subject', async ({ change, told }) => {
    await change({ subject: 'New name' })
    await told(['New name'], { chat_name: (name: unknown) => nothingOr('Team')(name) || name === 'New name' })
  }),

  /** The stanza of this change contains the JID of the person who made it, but no display name. */
  group_change_icon: inTeams('group_change_icon', async ({ change, told }) => {
    await change({ picture: 'https://pictures.example/team.jpg' })
    await told([isNumber], { sender_name: null })
    await change({ picture: '' })
    await told([''], { sender_name: null })
  }),

  group_change_invite_link: inTeams('group_change_invite_link', async ({ change, told }) => {
    await change({ renew_invite: true })
    await told([(code: unknown) => /^[\w-]{22}$/.test(String(code))])
  }),

  group_change_description: inTeams('group_change_description', async ({ change, told }) => {
    await change({ description: 'About us' })
    await told(['About us'])
    await change({ description: '' })
    await told([''])
  }),

  group_change_restrict: switched('group_change_restrict', 'restrict'),
  group_change_announce: switched('group_change_announce', 'announce'),
  group_membership_approval_mode: switched('group_membership_approval_mode', 'join_approval'),

  group_participant_add: inTeams('group_participant_add', async ({ people, told }) => {
    await people('add', ANA, [CAROL])
    await told([CAROL])
  }),

  group_participant_remove: inTeams('group_participant_remove', async ({ people, told }) => {
    await people('remove', ANA, [BEN])
    await told([BEN])
  }),

  group_participant_promote: inTeams('group_participant_promote', async ({ people, told }) => {
    await people('promote', ANA, [BEN, ME])
    await told([BEN, ME])
  }),

  group_participant_demote: inTeams('group_participant_demote', async ({ people, told }) => {
    await people('demote', ANA, [BEN])
    await told([BEN])
  }),

  group_participant_leave: inTeams('group_participant_leave', async ({ people, told }) => {
    await people('leave', BEN, [BEN])
    await told([BEN], by.ben)
  }),

  group_participant_change_number: inTeams('group_participant_change_number', async ({ people, told }) => {
    await people('change_number', CAROL, [BEN])
    await told([BEN], by.carol)
  }),

  group_member_add_mode: inTeams('group_member_add_mode', async ({ change, told }) => {
    for (const member_add_mode of ['admin_add', 'all_member_add']) {
      await change({ member_add_mode })
      await told([member_add_mode])
    }
  }),

  membership_approval_request: inTeams('membership_approval_request', async ({ people, told }) => {
    for (const request_method of ['invite_link', 'linked_group_join']) {
      await people('request', CAROL, [CAROL], request_method)
      await told([CAROL], { ...by.carol, request_method })
    }
    await people('request', BEN, [CAROL], 'non_admin_add')
    await told([CAROL, BEN], { ...by.ben, request_method: 'non_admin_add' })
  }),

  revoked_membership_requests: inTeams('revoked_membership_requests', async ({ people, told }) => {
    await people('request', CAROL, [CAROL])
    await people('withdraw', CAROL, [CAROL])
    await told([CAROL], { ...by.carol, request_action: 'revoked' })
    await people('request', CAROL, [CAROL])
    await people('reject', ANA, [CAROL])
    await told([CAROL], { request_action: 'rejected' })
  }),

  async ephemeral_setting_changed(story) {
    const name = 'ephemeral_setting_changed'
    await inTeams(name, async ({ change, told }) => {
      for (const ephemeral_seconds of [86_400, 0]) {
        await change({ ephemeral_seconds })
        await told([String(ephemeral_seconds)])
      }
    })(story)
    await story.fromAna(
      { proto: { protocolMessage: { type: 3, ephemeralExpiration: 604_800 } } },
      { message_type: 'notification', notification: name, notification_parameters: ['604800'] },
    )
  },
} satisfies Partial<Record<Notification, Tell>>
