import { Failure, type FailureCode } from '../../../../src/domain/failures.ts'
import type { InputOfEndpoint } from '../../../../src/features/endpoint.ts'
import type { Ask } from '../../connection/ask.ts'
import { approvalQuery, type Group, leaveError, leaveQuery, settingQuery, timerQuery, whoAddsQuery } from '../../wire/groups.ts'
import { removePictureQuery } from '../../wire/picture.ts'
import type { ActionContext, Handlers } from '../types.ts'
import { changeDescription, changeName, changePhoto } from './appearance.ts'
import { create } from './create.ts'
import { groupObject, type Invitation, invitationLinkOf, isAdmin, NO_INVITATION, settingsOf } from './group-object.ts'
import { inviteCodeOf } from './invite-code.ts'
import { list } from './list.ts'
import { changing, inGroup, readGroup } from './membership.ts'

const DONE = { value: true } as const

export const groups: Handlers<typeof import('../../../../src/features/groups/groups.ts')> = {
  'groups.create': create,
  'groups.list': list,

  'groups.metadata': (context, { group_id }) =>
    inGroup(context, group_id, async (jid) => {
      const group = await readGroup(context, jid)
      return groupObject(context.session.identity, group, await invitationTo(context, group))
    }),

  'groups.lightMetadata': (context, { group_id }) =>
    inGroup(context, group_id, async (jid) => {
      const group = await readGroup(context, jid)
      return groupObject(context.session.identity, group, NO_INVITATION)
    }),

  'groups.updateName': (context, { group_id, value }) => changeName(context, group_id, value),
  'groups.updateDescription': (context, { group_id, value }) => changeDescription(context, group_id, value),
  'groups.updatePhoto': (context, { group_id, value }) => changePhoto(context, group_id, value),

  async 'groups.removePhoto'(context, { group_id }) {
    await changing(context, group_id, (jid) => context.ask(removePictureQuery(jid)))
    return DONE
  },

  async 'groups.leave'(context, { group_id }) {
    await changing(context, group_id, async (jid) => {
      const code = leaveError(await context.ask(leaveQuery(jid)))
      if (code !== null) throw new Failure(leaveFailure(code), { details: { network_code: code } })
      context.session.groups.left(jid)
    })
    return DONE
  },

  'groups.updateSettings': (context, { group_id, ...wanted }) =>
    changing(context, group_id, async (jid) => {
      await apply(context.ask, jid, wanted)
      return settingsOf(await readGroup(context, jid))
    }),
}

/**
 * Returns the failure code of a refused leave. If the account is not in the group, the network answers the query with
 * success, and the answer contains an error for the group.
 */
const leaveFailure = (code: number): FailureCode => ([401, 403, 404].includes(code) ? 'group_not_found' : 'action_failed')

type Settings = Omit<InputOfEndpoint<typeof import('../../../../src/features/groups/groups.ts').updateSettings>, 'group_id'>
type Setting = keyof Settings
type Applied<K extends Setting> = (ask: Ask, jid: string, value: NonNullable<Settings[K]>) => Promise<unknown>

/** Settings in the order in which they are applied, with one query each. */
const SETTINGS: { [K in Setting]-?: Applied<K> } = {
  admin_only_message: (ask, jid, isOn) => ask(settingQuery(jid, isOn ? 'announcement' : 'not_announcement')),
  admin_only_settings: (ask, jid, isOn) => ask(settingQuery(jid, isOn ? 'locked' : 'unlocked')),
  admin_only_add_member: (ask, jid, isOn) => ask(whoAddsQuery(jid, isOn ? 'admin_add' : 'all_member_add')),
  require_admin_approval: (ask, jid, isOn) => ask(approvalQuery(jid, isOn)),
  ephemeral_seconds: (ask, jid, seconds) => ask(timerQuery(jid, seconds)),
}

async function apply(ask: Ask, jid: string, wanted: Settings): Promise<void> {
  const applied: string[] = []
  for (const [name, setting] of Object.entries(SETTINGS) as [Setting, Applied<Setting>][]) {
    const value = wanted[name]
    if (value === undefined) continue
    try {
      await setting(ask, jid, value as never)
    } catch (error) {
      if (applied.length === 0 || !(error instanceof Failure)) throw error
      throw error.detailed({ applied })
    }
    applied.push(name)
  }
}

/**
 * Returns the invitation link, or why there is none. An error of the query is returned as a field, because the rest of
 * the group is still a useful answer.
 */
async function invitationTo(context: ActionContext, group: Group): Promise<Invitation> {
  if (!isAdmin(group, context.session.identity)) return { invitation_link: null, invitation_link_error: 'not_allowed' }
  try {
    return { invitation_link: invitationLinkOf(await inviteCodeOf(context, group.id)), invitation_link_error: null }
  } catch (error) {
    const isRefused = error instanceof Failure && error.code === 'not_allowed'
    return { invitation_link: null, invitation_link_error: isRefused ? 'not_allowed' : 'action_failed' }
  }
}
