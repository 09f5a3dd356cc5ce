import { generateMessageIDV2 } from '@whiskeysockets/baileys'
import { Failure } from '../../../../src/domain/failures.ts'
import { onPage } from '../../../../src/domain/page.ts'
import { networkCodeOf } from '../../connection/failures.ts'
import { createCommunityQuery, deactivateQuery, whoAddsGroupsQuery } from '../../wire/communities.ts'
import { groupJidIn } from '../../wire/groups.ts'
import { object } from '../../wire/json.ts'
import { changeDescription, changeName, changePhoto } from '../groups/appearance.ts'
import { askOnce } from '../groups/create.ts'
import { groupObject, NO_INVITATION } from '../groups/group-object.ts'
import { entriesOf } from '../groups/list.ts'
import { changing, inGroup, readGroup } from '../groups/membership.ts'
import type { ActionContext, Handlers } from '../types.ts'
import { announcementOf, communityObject, isRefused, listedCommunity, readCommunity, subGroupsAt } from './sub-groups.ts'

const DONE = { value: true } as const
const NOT_THIS_WAY = new Set([400, 405, 501])
const ID_LENGTH = 12
const REFUSED = { path: '', message: 'the name or the description was not accepted by the network' }

export const communities: Handlers<typeof import('../../../../src/features/communities/communities.ts')> = {
  async 'communities.create'(context, { name, description }) {
    const text = description === undefined || description === '' ? null : description
    const id = () => generateMessageIDV2(context.session.me?.id)
    const about = text === null ? null : { id: id().slice(0, ID_LENGTH), text }
    const query = createCommunityQuery({ subject: name, key: id(), description: about })
    const jid = groupJidIn(await askOnce(context, query, about === null ? undefined : REFUSED))
    if (jid === null) throw new Failure('action_failed', { message: 'The network did not return the id of the community.' })
    context.session.groups.forget(jid)
    return made(context, jid)
  },

  async 'communities.list'(context, { page, page_size }) {
    const found = (await entriesOf(context)).filter(({ isCommunity }) => isCommunity)
    found.sort((one, other) => other.createdAt - one.createdAt)
    const data = await Promise.all(onPage(found, { page, page_size }).map((entry) => listedCommunity(context, entry)))
    return { data, page, page_size, total: found.length }
  },

  'communities.metadata': (context, { community_id }) =>
    inGroup(context, community_id, async (jid) =>
      communityObject(context, await readCommunity(context, jid), await subGroupsAt(context, jid)),
    ),

  'communities.announcement': (context, { community_id }) =>
    inGroup(context, community_id, async (jid) => {
      const group = await readGroup(context, await announcementOf(context, jid))
      return groupObject(context.session.identity, group, NO_INVITATION)
    }),

  'communities.updateName': (context, { community_id, value }) => changeName(context, community_id, value),
  'communities.updateDescription': (context, { community_id, value }) => changeDescription(context, community_id, value),
  'communities.updatePhoto': (context, { community_id, value }) => changePhoto(context, community_id, value),

  async 'communities.updateSettings'(context, { community_id, who_can_add_groups }) {
    const isEverybody = who_can_add_groups === 'all'
    await changing(context, community_id, (jid) =>
      context.ask(whoAddsGroupsQuery(jid, isEverybody)).catch((error: unknown) => {
        if (!NOT_THIS_WAY.has(networkCodeOf(error) ?? 0)) throw error
        return byProperty(context, jid, isEverybody, error)
      }),
    )
    return DONE
  },

  async 'communities.deactivate'(context, { community_id }) {
    await changing(context, community_id, async (jid) => {
      await context.ask(deactivateQuery(jid))
      context.session.groups.left(jid)
    })
    return DONE
  },
}

async function made(context: ActionContext, jid: string) {
  const group = await readGroup(context, jid)
  const known = context.session.groups
  await known.ready()
  known.joined(jid)
  const groups = await subGroupsAt(context, jid).catch((error: unknown) => {
    if (!isRefused(error)) throw error
    context.log.warn({ err: error }, 'the groups of a new community could not be read')
    return []
  })
  for (const each of groups) known.joined(each.jid)
  return communityObject(context, group, groups)
}

/**
 * Changes the setting with the query of the phone app, because the network has refused the first query. `refusal`: the
 * error of the first query, which is thrown if this query is refused, too.
 */
async function byProperty({ ask }: ActionContext, jid: string, isEverybody: boolean, refusal: unknown): Promise<void> {
  const update = { allow_non_admin_sub_group_creation: isEverybody }
  const value = await ask.mex('UpdateGroupProperty', { group_id: jid, update }).catch((error: unknown) => {
    throw isRefused(error) ? refusal : error
  })
  if (object(value).state !== 'ACTIVE') throw refusal
}
