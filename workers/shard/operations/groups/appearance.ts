/** Changes the name, the description and the picture of a group or of a community, which for the network is a group. */
import { generateMessageIDV2 } from '@whiskeysockets/baileys'
import type { GroupIdentifier } from '../../../../src/domain/ids.ts'
import type { MediaInput } from '../../../../src/domain/media.ts'
import { portrait } from '../../media/portrait.ts'
import { descriptionQuery, groupIn, metadataQuery, subjectQuery } from '../../wire/groups.ts'
import { setPictureQuery } from '../../wire/picture.ts'
import type { ActionContext } from '../types.ts'
import { changing } from './membership.ts'

const DONE = { value: true } as const
type Done = Promise<typeof DONE>

export async function changeName(context: ActionContext, group: GroupIdentifier, name: string): Done {
  const { ask, directory } = context
  await changing(context, group, async (jid) => {
    await directory.ready()
    await ask(subjectQuery(jid, name))
    directory.group(jid, { name })
  })
  return DONE
}

/**
 * The query must contain the id of the current description, so this id is read before each attempt. If somebody else
 * has changed the description in between, there is a second attempt.
 */
export async function changeDescription(context: ActionContext, group: GroupIdentifier, text: string): Done {
  const { ask, session, inTurn } = context
  await changing(context, group, (jid) =>
    inTurn(`description ${jid}`, () =>
      ask(async () => {
        const { descId: prev } = groupIn(await ask(metadataQuery(jid)))
        return descriptionQuery(jid, { text, id: generateMessageIDV2(session.me?.id), prev })
      }),
    ),
  )
  return DONE
}

export async function changePhoto(context: ActionContext, group: GroupIdentifier, image: MediaInput): Done {
  const jpeg = await portrait(context, image)
  await changing(context, group, (jid) => context.ask(setPictureQuery(jpeg, jid)))
  return DONE
}
