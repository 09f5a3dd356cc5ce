/** The metadata of an OAuth client, registered or in a document of its own. */

/** UTF-16 code units. What a name may hold is said in `display-text.ts`. */
export const CLIENT_NAME_MAX = 100
export const MAX_REDIRECT_URIS = 5

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const MAX_URI = 2_048

/**
 * A name of the DNS, or an address. URLs allow more in a host (`;`, `,`, `*`), and it becomes a source in the policy of the page that asks the
 * owner, where those would begin another rule or stand for every host.
 */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])$/

/** https, or http to the machine that the client runs on. */
export function isRedirectUri(value: string): boolean {
  if (value.length > MAX_URI || !/^[!-~]+$/.test(value) || !URL.canParse(value)) return false
  const { protocol, hostname, username, password } = new URL(value)
  if (!HOST.test(hostname) || username !== '' || password !== '' || value.includes('#')) return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))
}

/** `http` to the machine that the client runs on, in front of and behind its port. */
const LOCAL = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/
const withoutLocalPort = (uri: string) => uri.replace(LOCAL, '$1')

/**
 * Whether a client that registered the one may be answered at the other: letter by letter. Only the port of its own machine is free: a program
 * listens on whichever one it is given, each time another (RFC 8252, 7.3).
 */
export const isRedirectOf = (registered: string, asked: string): boolean =>
  withoutLocalPort(registered) === withoutLocalPort(asked)
