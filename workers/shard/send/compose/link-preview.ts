/** The card for the first URL of a text, by our guarded fetch. A page that does not answer well costs the card, never the message. */
import type { WAUrlInfo } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { SECOND } from '../../../../src/domain/clock.ts'
import type { Ranges } from '../../../../src/egress/addresses.ts'
import { guardedFetch } from '../../../../src/egress/guarded-fetch.ts'
import { cut } from '../../wire/bounds.ts'
import { firstUrl } from './first-url.ts'

/** A card is an extra: it may not hold the queue longer than the official clients let a person wait. */
const TIMEOUT = 5 * SECOND
/** The head of a page; what follows is not read. */
const MAX_BYTES = 256 * 1_024
const MAX_REDIRECTS = 5

export async function linkPreview(text: string, allow: Ranges, log: Logger): Promise<WAUrlInfo | null> {
  const url = firstUrl(text)
  if (url === undefined) return null
  try {
    const page = await guardedFetch(url, {
      allow,
      timeoutMs: TIMEOUT,
      maxBytes: MAX_BYTES,
      maxRedirects: MAX_REDIRECTS,
      tooLarge: 'cut',
      headers: { accept: 'text/html' },
    })
    if (page.status < 200 || page.status > 299 || !page.headers['content-type']?.includes('html')) return null
    const { title, description } = await readHead(new TextDecoder().decode(page.body))
    if (!title) return null
    return {
      'canonical-url': page.url,
      'matched-text': url,
      title: cut(title, 256),
      ...(description ? { description: cut(description, 1_024) } : {}),
    }
  } catch (error) {
    log.debug({ err: error }, 'the link preview could not be made')
    return null
  }
}

const TITLES = ['og:title', 'twitter:title', '<title>']
const DESCRIPTIONS = ['og:description', 'twitter:description', 'description']

/** The best title and description that the head offers: Open Graph first, as the official clients do. */
async function readHead(html: string): Promise<{ title: string | undefined; description: string | undefined }> {
  // Loaded for the first card.
  const { Parser } = await import('htmlparser2')
  const found = new Map<string, string>()
  let isInTitle = false
  let isBody = false
  const parser = new Parser({
    onopentag(tag, { property, name, content }) {
      isInTitle = tag === 'title' && !isBody
      const key = property ?? name
      if (!isBody && tag === 'meta' && key && content && !found.has(key)) found.set(key, content.trim())
      isBody ||= tag === 'body'
    },
    ontext(text) {
      if (isInTitle) found.set('<title>', (found.get('<title>') ?? '') + text)
    },
    onclosetag() {
      isInTitle = false
    },
  })
  parser.write(html)
  parser.end()
  const first = (names: readonly string[]) => names.map((name) => found.get(name)?.trim()).find(Boolean)
  return { title: first(TITLES), description: first(DESCRIPTIONS) }
}
