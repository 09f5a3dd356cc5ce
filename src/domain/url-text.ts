export const MASKED = '***'

/**
 * Matches control characters, and spaces at the ends. The URL parser ignores them silently, but a person who reads the
 * text sees them.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what a URL must not hold.
const UNSEEN = /^ | $|[\u0000-\u001f\u007f]/

/**
 * Returns the problem with the text of a URL before it is parsed, as the end of a sentence about its field. Returns
 * undefined if there is none.
 */
export const problemOfUrlText = (text: string): string | undefined =>
  UNSEEN.test(text) ? 'must not have leading or trailing spaces, line breaks or control characters' : undefined
