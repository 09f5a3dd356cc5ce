/** Finds the first URL in a text that the apps show as a link. */

/** The URL must have a scheme, because only such links can be opened from a card. */
const ANY_URL = /https?:\/\/[^\s<>"']+/gi
const MAX_LENGTH = 2_048
/** Punctuation that may follow a URL in a sentence and is not part of the URL. */
const PUNCTUATION = new Set('.,;:!?')
const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

export function firstUrl(text: string): string | undefined {
  for (const { 0: found, index } of text.matchAll(ANY_URL)) {
    if (found.length > MAX_LENGTH) continue
    const markup = /[*_~]{0,3}$/.exec(text.slice(Math.max(0, index - 3), index))?.[0] ?? ''
    const url = withoutEnd(found, markup)
    if (URL.canParse(url) && !isPrivate(new URL(url))) return url
  }
  return undefined
}

/**
 * Removes characters at the end that do not belong to the URL: punctuation, a closing bracket whose opening bracket is
 * before the URL, or markup that begins before the URL.
 */
function withoutEnd(found: string, markup: string): string {
  let url = found
  for (;;) {
    const last = url.at(-1) ?? ''
    const opening = OPENING[last]
    const isLeftOver = opening !== undefined && count(url, opening) < count(url, last)
    if (!PUNCTUATION.has(last) && !isLeftOver && !(markup.includes(last) && last !== '')) return url
    url = url.slice(0, -1)
  }
}

const count = (text: string, character: string) => text.split(character).length - 1

/** Whether the URL contains a user name or a password. Such a link is private, so it gets no card. */
const isPrivate = ({ username, password }: URL) => username !== '' || password !== ''
