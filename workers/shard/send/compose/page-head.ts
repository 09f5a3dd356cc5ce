/** Reads the title and the description of an HTML page from its first bytes. */
import { cut } from '../../wire/bounds.ts'
import { charsetOfMeta, charsetOfStart, charsetOfType, charsetOfXml, START_BYTES, textReader } from './page-charset.ts'

/**
 * Maximum number of bytes that are read from a page. Large sites have several hundred KB of scripts before the title.
 */
export const MAX_PAGE = 1_024 * 1_024
const MAX_TEXT = 4_096

export interface PageHead {
  title: string | undefined
  description: string | undefined
}

const TITLES = ['og:title', 'twitter:title', '<title>']
const DESCRIPTIONS = ['og:description', 'twitter:description', 'description']
const WANTED = new Set([...TITLES, ...DESCRIPTIONS])

type HtmlParser = typeof import('htmlparser2').Parser

/**
 * Open Graph values take precedence over the `<title>`, as in the official clients. As in browsers, the charset comes
 * from the byte order mark, the content type, or the page's declaration, in this order; the default is UTF-8.
 */
export async function readPageHead(pieces: AsyncIterable<Uint8Array>, contentType: string): Promise<PageHead> {
  // The parser is loaded when the first card is built, because many accounts never send a card.
  const { Parser } = await import('htmlparser2')
  const kept: Uint8Array[] = []
  let size = 0
  let head: HeadParser | undefined
  for await (const all of pieces) {
    const piece = all.subarray(0, MAX_PAGE - size)
    kept.push(piece)
    size += piece.byteLength
    if (head) head.write(piece)
    else if (size >= START_BYTES) {
      const start = Buffer.concat(kept)
      head = parseHead(Parser, charsetOfStart(start) ?? charsetOfType(contentType))
      head.write(start)
    }
    const late = head?.declaredLater()
    if (late !== undefined) {
      // The page declares another charset than the one with which it was decoded. As in browsers, it is decoded again.
      head = parseHead(Parser, late)
      for (const each of kept) head.write(each)
    }
    if (head?.isOver() || size === MAX_PAGE) break
  }
  return head?.found() ?? { title: undefined, description: undefined }
}

interface HeadParser {
  write(bytes: Uint8Array): void
  isOver(): boolean
  declaredLater(): string | undefined
  found(): PageHead
}

function parseHead(Parser: HtmlParser, charset: string | undefined): HeadParser {
  const text = textReader(charset ?? 'utf-8')
  const found = new Map<string, string>()
  let declared: string | undefined
  let isInTitle = false
  let isBody = false
  const parser = new Parser({
    oncomment(data) {
      // For an XML declaration, the parser reports a comment that is only two characters longer than its text. Other
      // comments are longer.
      const isDeclaration = parser.endIndex - parser.startIndex === data.length + 1
      if (isDeclaration) declared ??= charsetOfXml(data)
    },
    onopentag(tag, attributes) {
      isInTitle = tag === 'title' && !isBody
      if (!isBody && tag === 'meta') onMeta(attributes)
      isBody ||= tag === 'body'
    },
    ontext(part) {
      if (isInTitle) found.set('<title>', cut((found.get('<title>') ?? '') + part, MAX_TEXT))
    },
    onclosetag() {
      isInTitle = false
    },
  })

  function onMeta(attributes: Record<string, string>) {
    declared ??= charsetOfMeta(attributes)
    const { property, name, content } = attributes
    const key = property ?? name
    if (key && content && WANTED.has(key) && !found.has(key)) found.set(key, cut(content.trim(), MAX_TEXT))
  }

  const first = (names: readonly string[]) => names.map((name) => found.get(name)?.trim()).find(Boolean)
  return {
    write: (bytes) => parser.write(text(bytes)),
    isOver: () => isBody,
    declaredLater: () => (charset === undefined && declared !== 'utf-8' ? declared : undefined),
    found: () => ({ title: first(TITLES), description: first(DESCRIPTIONS) }),
  }
}
