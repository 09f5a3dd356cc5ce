/** Determines the charset of an HTML page, by the WHATWG's Encoding and HTML standards. */

export const START_BYTES = 3

const MARKS: readonly (readonly [charset: string, ...mark: number[]])[] = [
  ['utf-8', 0xef, 0xbb, 0xbf],
  ['utf-16le', 0xff, 0xfe],
  ['utf-16be', 0xfe, 0xff],
]

export const charsetOfStart = (bytes: Uint8Array): string | undefined =>
  MARKS.find(([, ...mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0]

const PARAMETER = /charset\s*=\s*["']?\s*([^\s"';,]+)/i

export const charsetOfType = (contentType: string): string | undefined => known(PARAMETER.exec(contentType)?.[1])

export function charsetOfMeta({ charset, content, 'http-equiv': equivalent }: Record<string, string>): string | undefined {
  const label = charset ?? (equivalent?.trim().toLowerCase() === 'content-type' ? PARAMETER.exec(content ?? '')?.[1] : undefined)
  return asReadable(known(label))
}

export const charsetOfXml = (declaration: string): string | undefined =>
  asReadable(known(/^\?xml\b[^>]*\bencoding\s*=\s*["']([^"']+)["']/i.exec(declaration)?.[1]))

/**
 * Returns utf-8 if the declared charset is UTF-16. The declaration was read as single bytes, so the page cannot be
 * UTF-16.
 */
const asReadable = (charset: string | undefined) => (charset?.startsWith('utf-16') ? 'utf-8' : charset)

function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label.trim()).encoding
  } catch {
    return undefined
  }
}

/** Returns a function that decodes a page piece by piece. A character may begin in one piece and end in the next. */
export function textReader(charset: string): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder(charset)
  // Some releases of Node decode windows-1252 wrongly without `stream`.
  return (bytes) => decoder.decode(bytes, { stream: true })
}
