/**
 * Rules for addresses that the service may reach, and for URLs that may be configured. The functions make no look-ups
 * and no connections, so the main thread can call them.
 */
import { MASKED, problemOfUrlText } from '../domain/url-text.ts'
import { isPublic, isWithin, literalAddress, type Ranges, reachedAddress, readAddress } from './addresses.ts'

export const MAX_URL_LENGTH = 2_048

/** `allowed`: in the operator's list. `public`: on the internet, and not in this list. */
export type Verdict = 'public' | 'allowed' | 'refused'

export function judge(text: string, allow: Ranges): Verdict {
  const written = readAddress(text)
  if (written === undefined) return 'refused'
  const address = reachedAddress(written)
  if (isWithin(allow, address)) return 'allowed'
  return isPublic(address) ? 'public' : 'refused'
}

const PORT_ZERO = 'must not use port 0'
const PRIVATE = 'must not point to a private, loopback or reserved address'

const PROXY_SCHEMES: readonly string[] = ['http:', 'https:', 'socks5:']
/** Longest user name or password of a proxy, in bytes. RFC 1929 (SOCKS) has one byte for the length. */
const MAX_PROXY_CREDENTIAL = 255

/**
 * Returns the problem of a proxy URL as the end of a sentence; undefined if there is none. A host name is not resolved
 * here.
 */
export function checkProxy(text: string, allow: Ranges): string | undefined {
  const unseen = problemOfUrlText(text)
  if (unseen !== undefined) return unseen
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !PROXY_SCHEMES.includes(url.protocol) || url.hostname === '')
    return 'must be an http, https or socks5 URL'
  if (!['', '/'].includes(url.pathname) || /[?#]/.test(text)) return 'must not have a path, query or fragment'
  if (url.port === '0') return PORT_ZERO
  // Answers show this placeholder in place of real credentials.
  if (url.username === MASKED && url.password === '') return `has the placeholder ${MASKED} instead of a user name and password`
  for (const part of [url.username, url.password]) {
    const bytes = credentialBytes(part)
    if (bytes === undefined) return 'must have its user name and password percent-encoded'
    if (bytes > MAX_PROXY_CREDENTIAL) return `must have a user name and a password of at most ${MAX_PROXY_CREDENTIAL} bytes`
  }
  return checkProxyAddress(url, allow)
}

export function checkProxyAddress({ hostname }: URL, allow: Ranges): string | undefined {
  const literal = literalAddress(hostname)
  return literal !== undefined && judge(literal, allow) === 'refused' ? PRIVATE : undefined
}

function credentialBytes(part: string): number | undefined {
  try {
    return new TextEncoder().encode(decodeURIComponent(part)).byteLength
  } catch {
    return undefined
  }
}

/**
 * Returns the problem of a webhook URL as the end of a sentence; undefined if there is none. A host name is not
 * resolved here.
 */
export function checkUrl(text: string, allow: Ranges): string | undefined {
  const unseen = problemOfUrlText(text)
  if (unseen !== undefined) return unseen
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`
  if (!URL.canParse(text)) return 'must be an absolute URL'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (text.includes('#')) return 'must not have a fragment'
  if (url.port === '0') return PORT_ZERO
  const literal = literalAddress(url.hostname)
  const verdict = literal === undefined ? undefined : judge(literal, allow)
  if (url.protocol === 'http:' && (verdict === undefined ? allow.length === 0 : verdict !== 'allowed'))
    return 'must begin with https://'
  if (verdict === 'refused') return PRIVATE
  return undefined
}
