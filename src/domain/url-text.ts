/** What the parser of URLs passes over in silence, and a person who is shown the text does not. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what a URL must not hold.
const UNSEEN = /^ | $|[\u0000-\u001f\u007f]/

/** What is wrong with the text of a URL before it is parsed, as a sentence; undefined when nothing is. */
export const problemOfUrlText = (text: string): string | undefined =>
  UNSEEN.test(text) ? 'must not have spaces around it, line breaks or control characters' : undefined
