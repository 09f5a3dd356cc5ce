/** Where somebody's picture is, asked for now; `pictures.ts` asks behind events, and remembers. */
import { Failure } from '../../../src/domain/failures.ts'
import type { Ask } from '../connection/ask.ts'

/** No picture (404), or not ours to see (401, 403). */
const NONE = new Set(['not_found', 'not_allowed'])

/**
 * The library puts the contact's token beside the question, never beside one about the own picture, which the network would not answer. It
 * gives undefined for an answer without a picture.
 */
export async function pictureOf(ask: Ask, jid: string, size: 'image' | 'preview'): Promise<string | null> {
  try {
    return (await ask.library(async (sock) => ({ url: await sock.profilePictureUrl(jid, size) }))).url ?? null
  } catch (error) {
    if (error instanceof Failure && NONE.has(error.code)) return null
    throw error
  }
}
