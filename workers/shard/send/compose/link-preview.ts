/**
 * Builds the preview card for the first URL of a text. Requests to private addresses are blocked. If the page cannot be
 * read, the message is sent without a card.
 */
import type { WAUrlInfo } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { PREVIEW_AGENT } from '../../../../src/domain/brand.ts'
import { SECOND } from '../../../../src/domain/clock.ts'
import type { Ranges } from '../../../../src/egress/addresses.ts'
import { decoded, guardedRequest } from '../../../../src/egress/guarded-fetch.ts'
import { cut } from '../../wire/bounds.ts'
import { firstUrl } from './first-url.ts'
import { MAX_PAGE, type PageHead, readPageHead } from './page-head.ts'

/** Time limit in ms. It is short because the card is optional. */
const TIMEOUT = 5 * SECOND
const LIMITS = { timeoutMs: TIMEOUT, maxRedirects: 5, maxBytes: MAX_PAGE, tooLarge: 'cut' } as const
const HEADERS = { accept: 'text/html', 'user-agent': PREVIEW_AGENT }
const NO_HEAD: PageHead = { title: undefined, description: undefined }

export async function linkPreview(text: string, allow: Ranges, log: Logger): Promise<WAUrlInfo | null> {
  const url = firstUrl(text)
  if (url === undefined) return null
  try {
    const { title, description, page } = await guardedRequest(url, { ...LIMITS, allow, headers: HEADERS }, async (answer) => {
      const type = answer.headers['content-type'] ?? ''
      const head = /html/i.test(type) ? await readPageHead(decoded(answer), type) : NO_HEAD
      return { ...head, page: answer.url }
    })
    if (!title) return null
    return {
      'canonical-url': page,
      'matched-text': url,
      title: cut(title, 256),
      ...(description ? { description: cut(description, 1_024) } : {}),
    }
  } catch (error) {
    log.debug({ err: error }, 'the link preview could not be made')
    return null
  }
}
