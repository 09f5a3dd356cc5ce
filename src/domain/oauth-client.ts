/** Maximum length of a client name in UTF-16 code units. */
export const CLIENT_NAME_MAX = 100
export const MAX_REDIRECT_URIS = 5

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const MAX_URI = 2_048

/**
 * Matches a DNS name or an IP address. URLs allow more characters (`;`, `,`, `*`), but in the content security policy
 * of the consent page they would begin another rule, or match every host.
 */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])$/

export function isRedirectUri(value: string): boolean {
  if (value.length > MAX_URI || !/^[!-~]+$/.test(value) || !URL.canParse(value)) return false
  const { protocol, hostname, username, password } = new URL(value)
  if (!HOST.test(hostname) || username !== '' || password !== '' || value.includes('#')) return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))
}

const LOCAL = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/
const withoutLocalPort = (uri: string) => uri.replace(LOCAL, '$1')

/**
 * True if a client that registered `registered` may be redirected to `asked`. Only a port on the local machine may
 * differ, because programs listen on any free port (RFC 8252, 7.3).
 */
export const isRedirectOf = (registered: string, asked: string): boolean =>
  withoutLocalPort(registered) === withoutLocalPort(asked)
