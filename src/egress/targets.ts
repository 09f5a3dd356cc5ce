/** Which addresses the service may reach, and which URLs may be configured. Pure, without a socket: the main thread uses it too. */
import { isPublic, isWithin, literalAddress, type Ranges, reachedAddress, readAddress } from './addresses.ts'

export const MAX_URL_LENGTH = 2_048

/** `public`: on the internet. `allowed`: inside the operator's list. `refused`: everything else. */
export type Verdict = 'public' | 'allowed' | 'refused'

/** `allow`: the parsed `SVC_EGRESS_ALLOW`. */
export function judge(text: string, allow: Ranges): Verdict {
  const written = readAddress(text)
  if (written === undefined) return 'refused'
  const address = reachedAddress(written)
  if (isWithin(allow, address)) return 'allowed'
  return isPublic(address) ? 'public' : 'refused'
}

const PRIVATE = 'must not point to a private, loopback or reserved address'

/** What is wrong with the address of a proxy, as a sentence. A name is judged when the connection is made. */
export function checkProxy(text: string, allow: Ranges): string | undefined {
  const literal = literalAddress(new URL(text).hostname)
  return literal !== undefined && judge(literal, allow) === 'refused' ? PRIVATE : undefined
}

/**
 * What is wrong with a webhook URL, as a sentence; undefined when nothing is. Names are judged when an event is delivered, by what they
 * resolve to then.
 */
export function checkUrl(text: string, allow: Ranges): string | undefined {
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`
  if (!URL.canParse(text)) return 'must be an absolute URL'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://'
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password'
  if (text.includes('#')) return 'must not have a fragment'
  const literal = literalAddress(url.hostname)
  const verdict = literal === undefined ? undefined : judge(literal, allow)
  if (url.protocol === 'http:' && (verdict === undefined ? allow.length === 0 : verdict !== 'allowed'))
    return 'must begin with https://'
  if (verdict === 'refused') return PRIVATE
  return undefined
}
