import { Failure } from '../../../src/domain/failures.ts'
import { answered } from '../chats/accounts.ts'
import { pictureOf } from '../chats/picture-of.ts'
import { isBusiness } from '../connection/identity.ts'
import { portrait } from '../media/portrait.ts'
import { pushNameChange } from '../wire/app-state-actions.ts'
import { cutOrNull, MAX_ABOUT } from '../wire/bounds.ts'
import { aboutIn, aboutQuery, setAboutQuery } from '../wire/person-query.ts'
import { removePictureQuery, setPictureQuery } from '../wire/picture.ts'
import { ownPresence } from '../wire/presence.ts'
import type { Handlers } from './types.ts'

const DONE = { value: true } as const

export const profile: Handlers<typeof import('../../../src/features/profile.ts')> = {
  async 'profile.get'(context) {
    const { ask, session } = context
    const { me, identity } = session
    const [own] = identity.own()
    if (own === undefined) throw new Failure('instance_not_connected')
    const [about, picture_url, person] = await Promise.all([
      ask((sid) => aboutQuery(own, sid)),
      pictureOf(context, own, 'image'),
      identity.person(own, me?.lid),
    ])
    return {
      ...person,
      name: me?.name || null,
      about: cutOrNull(answered(aboutIn(about)).text, MAX_ABOUT),
      picture_url,
      is_business: isBusiness(session) === true,
    }
  },

  async 'profile.updateName'({ ask, session, clock }, { value }) {
    if (isBusiness(session))
      throw new Failure('not_allowed', { message: 'The network does not allow changing the name of a business account.' })
    await ask.run(() => session.change([pushNameChange(value, clock.now())]))
    // Other people learn the new name from a presence, so one is sent.
    await ask.write(ownPresence(value, session.isAvailable))
    return DONE
  },

  async 'profile.updatePicture'(context, { value }) {
    await context.ask(setPictureQuery(await portrait(context, value)))
    return DONE
  },

  async 'profile.updateAbout'({ ask }, { value }) {
    await ask(setAboutQuery(value))
    return DONE
  },

  async 'profile.removePicture'({ ask }) {
    await ask(removePictureQuery())
    return DONE
  },
}
