/**
 * Parses JSON from callers. The values are counted before the parsing: 20 million `{}` (60 MB) blocked a thread for two
 * minutes.
 */

/** Maximum number of entries and fields of one body. The largest valid body of an operation has 1,208. */
export const MAX_VALUES = 10_000

export class TooManyValues extends Error {}

const [QUOTE, BACKSLASH, COMMA, LIST, OBJECT] = [...'"\\,[{'].map((sign) => sign.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
]

/**
 * Returns the index of the quote that ends a text, or the length of `bytes` if there is none. An escaped quote does not
 * end the text.
 */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end !== -1; end = bytes.indexOf(QUOTE, end + 1)) {
    let before = end
    while (bytes[before - 1] === BACKSLASH) before--
    if ((end - before) % 2 === 0) return end
  }
  return bytes.length
}

/** True for the bytes after which a value may begin: a comma, and the opening of a list or an object. */
export const beginsValue = (byte: number | undefined): boolean => byte === COMMA || byte === LIST || byte === OBJECT

function hasTooManyValues(bytes: Uint8Array): boolean {
  let values = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfText(bytes, at)
    else if (beginsValue(byte) && ++values > MAX_VALUES) return true
  }
  return false
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Parses JSON. Throws `TooManyValues`, or another error if the bytes are not valid JSON in UTF-8. */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength > MAX_VALUES && hasTooManyValues(bytes)) throw new TooManyValues()
  return JSON.parse(decoder.decode(bytes))
}

/**
 * Replaces values at any depth, in place. The function does not call itself, because a deeply nested body could
 * overflow the stack.
 */
export function replaceWithin(whole: object, replacement: (value: unknown, name: string) => unknown): void {
  const open: object[] = [whole]
  for (let each = open.pop(); each !== undefined; each = open.pop())
    for (const [name, value] of Object.entries(each)) {
      const replaced = replacement(value, name)
      if (replaced !== value) (each as Record<string, unknown>)[name] = replaced
      if (typeof replaced === 'object' && replaced !== null) open.push(replaced)
    }
}
