/** The account's profile: how `src/features/profile.ts` is done on the wire. */
import { Failure } from '../../../src/domain/failures.ts'
import { toldBy } from '../chats/accounts.ts'
import { pictureOf } from '../chats/picture-of.ts'
import { aboutIn, aboutQuery } from '../wire/person-query.ts'
import type { Handlers } from './types.ts'

const DONE = { value: true } as const

/** The business apps of Android and iOS. */
const BUSINESS = new Set(['smba', 'smbi'])

export const profile: Handlers<typeof import('../../../src/features/profile.ts')> = {
  async 'profile.get'({ ask, session }) {
    const { sock, me, identity } = session
    const [own] = identity.own()
    if (own === undefined) throw new Failure('instance_not_connected')
    const [about, picture_url, person] = await Promise.all([
      ask(aboutQuery(own, sock.generateMessageTag())),
      pictureOf(ask, own, 'image'),
      identity.person(own, me?.lid),
    ])
    return {
      ...person,
      name: me?.name || null,
      about: toldBy(aboutIn(about)).text,
      picture_url,
      is_business: BUSINESS.has(sock.authState.creds.platform ?? ''),
    }
  },

  // <iq xmlns="status" type="set"><status>text</status></iq>
  async 'profile.updateAbout'({ ask }, { value }) {
    await ask.tell((sock) => sock.updateProfileStatus(value))
    return DONE
  },

  // <iq xmlns="w:profile:picture" type="set"/>, without target: the own one.
  async 'profile.removePicture'({ ask, session }) {
    const [own = ''] = session.identity.own()
    await ask.tell((sock) => sock.removeProfilePicture(own))
    return DONE
  },
}
