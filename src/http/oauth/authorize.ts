/**
 * `/oauth/authorize`: asks the owner for consent. The form has a ticket and the browser a matching cookie, so that no
 * other page can submit the form.
 */
import type { Context } from 'hono'
import { Failure } from '../../domain/failures.ts'
import type { WorkspaceId } from '../../domain/ids.ts'
import { isRedirectOf, isRedirectUri } from '../../domain/oauth-client.ts'
import { pageResponse } from '../../features/page.ts'
import type { ConsentView, Parts } from '../../features/parts.ts'
import type { AuthorizationRequest, Consent, Oauth } from '../../oauth/oauth.ts'
import type { AccessChecks } from '../access-checks.ts'
import { accessRequestOf, type Env } from '../mount.ts'
import { OauthError, redirect } from './answers.ts'
import { type Fields, fieldsOf, formOf } from './fields.ts'

export interface AuthorizeDeps {
  oauth: Oauth
  gate: Pick<AccessChecks, 'admin'>
  parts: Pick<Parts, 'account' | 'directory' | 'pages'>
  baseOf(c: Context<Env>): string
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const MAX_STATE = 2_048
const MAX_KEY = 256
const MAX_INSTANCES = 500
const COOKIE_SECONDS = 600

const cookieName = (ticket: string) => `svc_consent_${ticket.slice(0, 12)}`

function cookieOf(c: Context<Env>, ticket: string): string {
  for (const pair of c.req.header('Cookie')?.split(';') ?? []) {
    const [name, value] = pair.trim().split('=')
    if (name === cookieName(ticket) && value !== undefined) return value
  }
  return ''
}

const expired = () => new OauthError('invalid_request', 'this page has expired; begin again in the app')

const isSameUrl = (one: string, other: string) => URL.canParse(one) && new URL(one).href === new URL(other).href

export function createAuthorize({ oauth, gate, parts, baseOf }: AuthorizeDeps) {
  /**
   * Returns the client of a request. An error about the client or its redirect URI is shown in the browser, because the
   * URI cannot be trusted then.
   */
  async function clientOf(fields: Fields): Promise<Pick<AuthorizationRequest, 'client' | 'redirectUri'>> {
    const client = await oauth.client(fields.must('client_id'))
    if (!client) throw new OauthError('invalid_client', 'no client has this client_id')
    const redirectUri = fields.must('redirect_uri')
    // The URI is checked again, because the rules may have been different at the registration.
    if (!client.redirectUris.some((uri) => isRedirectOf(uri, redirectUri)) || !isRedirectUri(redirectUri))
      throw new OauthError('invalid_request', 'redirect_uri must exactly match one of the redirect URIs of this client')
    return { client, redirectUri }
  }

  function requestOf(
    fields: Fields,
    about: Pick<AuthorizationRequest, 'client' | 'redirectUri'>,
    base: string,
  ): AuthorizationRequest {
    if (fields.must('response_type') !== 'code') throw new OauthError('unsupported_response_type', 'response_type must be code')
    const challenge = fields.must('code_challenge')
    if (fields.get('code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge))
      throw new OauthError('invalid_request', 'PKCE with code_challenge_method=S256 is required')
    const state = fields.must('state')
    if (state.length > MAX_STATE) throw new OauthError('invalid_request', 'state is too long')
    if (!isSameUrl(fields.get('resource') ?? '', `${base}/mcp`))
      throw new OauthError('invalid_target', `resource must be ${base}/mcp`)
    return { ...about, challenge, state }
  }

  function page(view: Omit<ConsentView, 'client' | 'redirectUri'>, { client, redirectUri }: AuthorizationRequest, status = 200) {
    return pageResponse(parts.pages.consent({ ...view, client: client.name, redirectUri }), status)
  }

  function withCookie(c: Context<Env>, response: Response, { ticket, cookie }: { ticket: string; cookie: string }): Response {
    const secure = baseOf(c).startsWith('https:') ? '; Secure' : ''
    response.headers.set(
      'Set-Cookie',
      `${cookieName(ticket)}=${cookie}; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Strict${secure}`,
    )
    return response
  }

  function instancesOf(workspace: WorkspaceId): ConsentView['instances'] {
    const { ids } = parts.directory.list(workspace, { page: 1, page_size: MAX_INSTANCES })
    return ids.map((id) => {
      const { name, phone } = parts.directory.render(id, '')
      return { id, name, phone }
    })
  }

  async function identify(c: Context<Env>, ticket: string, consent: Consent, key: string): Promise<Response> {
    await parts.account.refresh()
    try {
      const { workspace } = gate.admin(accessRequestOf(c), key.slice(0, MAX_KEY))
      const keyTag = parts.account.adminKeyTag(workspace)
      if (keyTag === undefined) throw new Failure('api_key_required')
      const next = await oauth.identified(ticket, { workspace, keyTag })
      if (!next) throw expired()
      return withCookie(c, page({ ticket: next.ticket, instances: instancesOf(workspace) }, consent), next)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'api_key_required') throw error
      return page({ ticket, problem: 'This is not an admin key of this installation.' }, consent, 401)
    }
  }

  return {
    async ask(c: Context<Env>): Promise<Response> {
      const base = baseOf(c)
      const fields = fieldsOf(new URL(c.req.url).searchParams)
      const about = await clientOf(fields)
      // The refusal is shown in the browser and not sent to the app, because anybody can register an app (RFC 9700,
      // 4.11.2).
      const request = requestOf(fields, about, base)
      const opened = await oauth.ask(request)
      return withCookie(c, page({ ticket: opened.ticket }, request), opened)
    },

    async decide(c: Context<Env>): Promise<Response> {
      const site = c.req.header('Sec-Fetch-Site')
      if (site !== undefined && site !== 'same-origin')
        throw new OauthError('invalid_request', 'another page sent this form', 403)
      const fields = await formOf(c.req.raw)
      const ticket = fields.must('ticket')
      const consent = await oauth.consent(ticket, cookieOf(c, ticket))
      if (!consent) throw expired()
      const { redirectUri, state, owner } = consent
      const iss = baseOf(c)
      if (fields.get('decision') === 'deny') {
        await oauth.close(ticket)
        return redirect(redirectUri, { error: 'access_denied', state, iss }, 303)
      }
      if (owner === undefined) return identify(c, ticket, consent, fields.get('key') ?? '')
      const { workspace, keyTag } = owner
      await parts.account.refresh()
      if (parts.account.adminKeyTag(workspace) !== keyTag) {
        await oauth.close(ticket)
        throw new OauthError(
          'access_denied',
          'the admin key was replaced after this page was opened; begin again in the app',
          403,
        )
      }
      const chosen = fields.get('instance')
      if (chosen === undefined)
        return page({ ticket, instances: instancesOf(workspace), problem: 'Pick an instance.' }, consent, 400)
      const instance = parts.directory.find(workspace, chosen)
      const code = await oauth.approve(ticket, { workspace, instance })
      if (code === undefined) throw expired()
      return redirect(redirectUri, { code, state, iss }, 303)
    },
  }
}
