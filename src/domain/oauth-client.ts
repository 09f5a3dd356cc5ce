/** Metadata of an OAuth client, from its registration or from its metadata document. */

/** Longest name of a client in UTF-16 code units. `display-text.ts` defines which characters a name may have. */
export const CLIENT_NAME_MAX = 100
export const MAX_REDIRECT_URIS = 5

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const MAX_URI = 2_048

/**
 * Matches a host that is a DNS name or an address. URLs allow more characters in a host (`;`, `,`, `*`), but the host becomes a source in the content
 * security policy of the consent page. There these characters would begin another rule or match every host.
 */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])$/

/** Accepts `https` URLs, and `http` URLs of the machine on which the client runs. */
export function isRedirectUri(value: string): boolean {
  if (value.length > MAX_URI || !/^[!-~]+$/.test(value) || !URL.canParse(value)) return false
  const { protocol, hostname, username, password } = new URL(value)
  if (!HOST.test(hostname) || username !== '' || password !== '' || value.includes('#')) return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))
}

/** Matches an `http` URL of the local machine, in two parts: before the port and after it. */
const LOCAL = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/
const withoutLocalPort = (uri: string) => uri.replace(LOCAL, '$1')

/**
 * Whether a client that registered `registered` may be redirected to `asked`: both must be equal. Only the port on the local machine may differ,
 * because a program listens on a different free port each time (RFC 8252, 7.3).
 */
export const isRedirectOf = (registered: string, asked: string): boolean =>
  withoutLocalPort(registered) === withoutLocalPort(asked)
