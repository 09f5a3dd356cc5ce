/** Queries the address of a person's or chat's picture; `pictures.ts` queries in the background, and caches. */
import type { Ask, Limits } from '../connection/ask.ts'
import { networkCodeOf } from '../connection/failures.ts'

/** No picture (404), or a hidden one: the operation decides the meaning. */
const NONE = new Set([401, 403, 404, 405])

/**
 * The library puts the contact's token beside the question, never beside one about the own picture, which the network would not answer. It
 * gives undefined for an answer without a picture.
 */
export async function pictureOf(ask: Ask, jid: string, size: 'image' | 'preview', limits?: Limits): Promise<string | null> {
  try {
    const found = await ask.library(async (library) => ({ url: await library.profilePictureUrl(jid, size) }), limits)
    return found.url ?? null
  } catch (error) {
    if (NONE.has(networkCodeOf(error) ?? 0)) return null
    throw error
  }
}
