/**
 * The part of a receiver's answer that the webhook log keeps. Query values of the webhook URL are masked in it, because
 * a receiver may repeat the URL.
 */
import { MASKED } from '../domain/url-text.ts'

export const ANSWER_BYTES = 2_048
/**
 * Maximum number of characters that the log keeps of the answer to a successful attempt. This text stays in the log
 * after the body of the event is erased.
 */
const TAKEN_CHARS = 256
/**
 * Smallest length of a query value that is masked wherever it occurs. A shorter value is likely to be a part of some
 * word, so it is masked only after its name.
 */
const MIN_ALONE = 4

/** Returns the part of an answer that is kept. The query values of the webhook URL are masked in it. */
export function keptAnswer(answer: string, url: string, isTaken: boolean): string {
  const shown = withoutQueryValues(answer, url)
  return isTaken ? [...shown.slice(0, 2 * TAKEN_CHARS)].slice(0, TAKEN_CHARS).join('') : shown
}

function withoutQueryValues(answer: string, url: string): string {
  const pairs = new URL(url).search.slice(1).split('&')
  return pairs.reduce((text, pair) => {
    const [name = '', value = ''] = split(pair)
    if (value === '') return text
    const known = text.replaceAll(`${name}=${value}`, `${name}=${MASKED}`)
    return [value, decoded(value)]
      .filter(({ length }) => length >= MIN_ALONE)
      .reduce((rest, each) => rest.replaceAll(each, MASKED), known)
  }, answer)
}

function split(pair: string): [name: string, value: string] {
  const at = pair.indexOf('=')
  return at < 0 ? ['', ''] : [pair.slice(0, at), pair.slice(at + 1)]
}

const decoded = (value: string) => new URLSearchParams(`_=${value}`).get('_') ?? value
