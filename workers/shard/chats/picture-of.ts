import type { Limits } from '../connection/ask.ts'
import { networkCodeOf } from '../connection/failures.ts'
import { bare } from '../wire/jid.ts'
import { pictureQuery, pictureUrlIn } from '../wire/picture.ts'
import type { Asker } from './session.ts'

/** The network's codes for "no picture" (404) and "hidden picture" (the others). */
const NONE = new Set([401, 403, 404, 405])

/** Returns the URL of a picture. Null if there is no picture, or if it is hidden from this account. */
export async function pictureOf(
  { ask, session }: PictureAsker,
  jid: string,
  size: 'image' | 'preview',
  limits?: Limits,
): Promise<string | null> {
  try {
    const token = await session.tokens.forPicture(jid)
    return pictureUrlIn(await ask(pictureQuery(bare(jid), size, token), limits))
  } catch (error) {
    if (NONE.has(networkCodeOf(error) ?? 0)) return null
    throw error
  }
}

export interface PictureAsker {
  ask: Asker['ask']
  session: { tokens: Pick<Asker['session']['tokens'], 'forPicture'> }
}
