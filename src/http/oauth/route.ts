/** OAuth for apps that use `/mcp`: the service is its own authorization server. */
import type { Context, Hono } from 'hono'
import type { Oauth } from '../../oauth/oauth.ts'
import type { AccessChecks } from '../access-checks.ts'
import { accessRequestOf, type Env } from '../mount.ts'
import { errorResponse, OauthError } from './answers.ts'
import { type AuthorizeDeps, createAuthorize } from './authorize.ts'
import { register, revoke, token } from './token.ts'

export interface OauthRoutesDeps extends Omit<AuthorizeDeps, 'baseOf' | 'gate'> {
  gate: Pick<AccessChecks, 'admin' | 'oauth'>
  oauth: Oauth
  baseUrl: string | null
}

const PROTECTED = '/.well-known/oauth-protected-resource'
const SERVER = '/.well-known/oauth-authorization-server'

/** Returns the value of the header `WWW-Authenticate`, with the URL of the metadata of `/mcp` (RFC 9728). */
export const challengeOf = (base: string) => `Bearer resource_metadata="${base}${PROTECTED}/mcp"`

export function mountOauth(app: Hono<Env>, deps: OauthRoutesDeps): void {
  const { oauth, gate, baseUrl } = deps
  const baseOf = (c: Context<Env>) => baseUrl ?? new URL(c.req.url).origin
  const authorize = createAuthorize({ ...deps, baseOf })

  /**
   * Counts a request against the limit of its kind. Behind a proxy that is not trusted, all callers have the same
   * address. With one limit for all kinds, others could then lock out the apps.
   */
  const limit = (c: Context<Env>, kind: string) => gate.oauth(accessRequestOf(c), kind)

  /** Returns the kind of a consent request, for its limit. All clients that are not known share one limit. */
  function kindOf(c: Context<Env>): string {
    const clientId = c.req.query('client_id')
    return clientId !== undefined && oauth.knows(clientId) ? `authorize ${clientId}` : 'authorize'
  }

  /**
   * Counts a request against the limit only if it is refused, for example because its secret is wrong. A request with
   * the right secret is not counted, because a secret of 192 bits cannot be guessed.
   */
  async function unlessRight(c: Context<Env>, kind: string, answer: () => Promise<Response>): Promise<Response> {
    try {
      return await answer()
    } catch (error) {
      if (error instanceof OauthError) limit(c, kind)
      throw error
    }
  }

  function on(method: 'GET' | 'POST', path: string, answer: (c: Context<Env>) => Response | Promise<Response>) {
    app.on(method, path, async (c) => {
      if (c.req.raw.method !== method) return c.notFound()
      c.get('state').route = path
      try {
        return await answer(c)
      } catch (error) {
        const response = errorResponse(error)
        if (response) return response
        throw error
      }
    })
  }

  for (const path of [PROTECTED, `${PROTECTED}/mcp`])
    on('GET', path, (c) =>
      Response.json({
        resource: `${baseOf(c)}/mcp`,
        authorization_servers: [baseOf(c)],
        bearer_methods_supported: ['header'],
      }),
    )
  on('GET', SERVER, (c) => {
    const base = baseOf(c)
    return Response.json({
      issuer: base,
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      registration_endpoint: `${base}/oauth/register`,
      revocation_endpoint: `${base}/oauth/revoke`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    })
  })
  // Metadata documents are public. The other endpoints are limited, because anybody could try to guess secrets or fill
  // the store.
  on('GET', '/oauth/authorize', (c) => {
    limit(c, kindOf(c))
    return authorize.ask(c)
  })
  on('POST', '/oauth/authorize', (c) => unlessRight(c, 'decide', () => authorize.decide(c)))
  on('POST', '/oauth/register', (c) => {
    limit(c, 'register')
    return register(oauth, c.req.raw)
  })
  on('POST', '/oauth/token', (c) => unlessRight(c, 'token', () => token(oauth, c.req.raw, `${baseOf(c)}/mcp`)))
  on('POST', '/oauth/revoke', (c) => unlessRight(c, 'token', () => revoke(oauth, c.req.raw, () => limit(c, 'token'))))
}
