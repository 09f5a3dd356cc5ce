/**
 * Reads a client whose id is the URL of its metadata document (draft-ietf-oauth-client-id-metadata-document). Anybody
 * may name any URL, so the document is downloaded with the guarded fetch.
 */
import * as v from 'valibot'
import { SECOND } from '../domain/clock.ts'
import { readName } from '../domain/display-text.ts'
import type { Log } from '../domain/log.ts'
import { CLIENT_NAME_MAX, isRedirectUri, MAX_REDIRECT_URIS } from '../domain/oauth-client.ts'
import { isIn, LOOPBACK, literalAddress, parseRanges, type Ranges } from '../egress/addresses.ts'
import { checkUrl } from '../egress/targets.ts'
import type { OauthClient } from './oauth.ts'

const MAX_BYTES = 16_384
const TIMEOUT = 5 * SECOND

const Document = v.object({
  client_id: v.string(),
  client_name: v.optional(
    v.pipe(
      v.string(),
      v.rawTransform(({ dataset, addIssue, NEVER }) => {
        const read = readName(dataset.value, CLIENT_NAME_MAX)
        if ('name' in read) return read.name
        addIssue({ message: `client_name ${read.problem}` })
        return NEVER
      }),
    ),
  ),
  redirect_uris: v.pipe(v.array(v.pipe(v.string(), v.check(isRedirectUri))), v.minLength(1), v.maxLength(MAX_REDIRECT_URIS)),
})

const loopback = parseRanges(LOOPBACK)

/**
 * True for an https URL with a path, written as a browser would write it. Plain http is allowed only to a loopback
 * address, because an attacker on the network could replace the document.
 */
function isDocumentUrl(id: string): boolean {
  if (!URL.canParse(id)) return false
  const { href, pathname, protocol, hostname } = new URL(id)
  const literal = literalAddress(hostname)
  const isProtected = protocol === 'https:' || (literal !== undefined && isIn(loopback, literal))
  return isProtected && href === id && pathname !== '/'
}

export const createReadDocument =
  ({ allow, log }: { allow: Ranges; log: Log }) =>
  async (id: string): Promise<OauthClient | undefined> => {
    if (!isDocumentUrl(id) || checkUrl(id, allow) !== undefined) return undefined
    try {
      const options = { allow, timeoutMs: TIMEOUT, maxBytes: MAX_BYTES, maxRedirects: 0, headers: { accept: 'application/json' } }
      // The module is imported here, because it loads the HTTP client, which nothing else on the main thread needs.
      const { guardedFetch } = await import('../egress/guarded-fetch.ts')
      const { status, body } = await guardedFetch(id, options)
      if (status !== 200) return undefined
      const { client_id, client_name, redirect_uris } = v.parse(Document, JSON.parse(new TextDecoder().decode(body)))
      if (client_id !== id) return undefined
      return { id, name: client_name ?? new URL(id).host, redirectUris: redirect_uris }
    } catch (err) {
      log.info({ err, host: new URL(id).host }, 'the metadata document of an OAuth client could not be read')
      return undefined
    }
  }
