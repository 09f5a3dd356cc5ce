/** The first URL of a text, as far as the apps make a link of it. */

/** With a scheme: only such links can be opened from a card. */
const ANY_URL = /https?:\/\/[^\s<>"']+/gi
/** The longest URL that is taken anywhere. */
const MAX_LENGTH = 2_048
/** Ends a sentence, and no URL. */
const PUNCTUATION = new Set('.,;:!?')
const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

export function firstUrl(text: string): string | undefined {
  for (const { 0: found, index } of text.matchAll(ANY_URL)) {
    if (found.length > MAX_LENGTH) continue
    const markup = /[*_~]{0,3}$/.exec(text.slice(Math.max(0, index - 3), index))?.[0] ?? ''
    const url = withoutEnd(found, markup)
    if (URL.canParse(url) && !hasPassword(new URL(url))) return url
  }
  return undefined
}

/** Without what follows it in the sentence, closes a bracket around it, or ends the markup that begins before it. */
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

/** Such a link is for its sender's eyes. */
const hasPassword = ({ username, password }: URL) => username !== '' && password !== ''
