export const MASKED = '***'

/**
 * Matches control characters, and spaces at the ends. The URL parser removes or encodes them silently, so the URL would
 * differ from the text.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what a URL must not hold.
const UNSEEN = /^ | $|[\u0000-\u001f\u007f]/

/**
 * Returns the problem with the text of a URL before it is parsed, as the end of a sentence about its field. Returns
 * undefined if there is none.
 */
export const problemOfUrlText = (text: string): string | undefined =>
  UNSEEN.test(text) ? 'must not have leading or trailing spaces, line breaks or control characters' : undefined
