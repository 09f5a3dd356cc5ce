/** Queries the URL of the picture of a person or chat; `pictures.ts` does so in the background and caches the answers. */
import type { Ask, Limits } from '../connection/ask.ts'
import { networkCodeOf } from '../connection/failures.ts'

/** Codes for no picture (404) or a hidden one; the operation decides what they mean. */
const NONE = new Set([401, 403, 404, 405])

/**
 * Queries the URL of a picture. The library adds the contact's token to the query, but never to a query for the
 * account's own picture, which the network would then not answer. The library returns undefined for an answer without a
 * picture.
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
