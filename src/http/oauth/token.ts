/** `POST /oauth/token`, `/oauth/revoke` and `/oauth/register`, which programs call without a person. */
import { readName } from '../../domain/display-text.ts'
import { CLIENT_NAME_MAX, isRedirectUri, MAX_REDIRECT_URIS } from '../../domain/oauth-client.ts'
import type { Oauth, Tokens } from '../../oauth/oauth.ts'
import { OauthError } from './answers.ts'
import { type Fields, formOf, jsonOf } from './fields.ts'

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

async function granted(oauth: Oauth, fields: Fields): Promise<Tokens | undefined> {
  const clientId = fields.must('client_id')
  switch (fields.must('grant_type')) {
    case 'authorization_code': {
      const verifier = fields.must('code_verifier')
      if (!VERIFIER.test(verifier)) throw new OauthError('invalid_grant', 'code_verifier must be 43 to 128 characters of PKCE')
      return oauth.redeem(fields.must('code'), { clientId, redirectUri: fields.must('redirect_uri'), verifier })
    }
    case 'refresh_token':
      return oauth.refresh(fields.must('refresh_token'), clientId)
    default:
      throw new OauthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token')
  }
}

export async function token(oauth: Oauth, request: Request, resource: string): Promise<Response> {
  const fields = await formOf(request)
  const asked = fields.get('resource')
  if (asked !== undefined && (!URL.canParse(asked) || new URL(asked).href !== new URL(resource).href))
    throw new OauthError('invalid_target', `resource must be ${resource}`)
  const tokens = await granted(oauth, fields)
  if (!tokens)
    throw new OauthError('invalid_grant', 'the code or token is unknown, expired, already used, or issued to another client')
  return Response.json({
    access_token: tokens.accessToken,
    token_type: 'Bearer',
    expires_in: tokens.expiresIn,
    refresh_token: tokens.refreshToken,
  })
}

/**
 * Revokes a token (RFC 7009). The answer is the same for an invalid token. `isNone` is then called, so that the request
 * counts as a guess.
 */
export async function revoke(oauth: Oauth, request: Request, isNone: () => void): Promise<Response> {
  if (!(await oauth.revokeToken((await formOf(request)).must('token')))) isNone()
  return new Response(null, { status: 200 })
}

function clientName(given: unknown): string {
  const read = typeof given === 'string' ? readName(given, CLIENT_NAME_MAX) : { problem: 'must be a string' }
  if ('problem' in read) throw new OauthError('invalid_client_metadata', `client_name ${read.problem}`)
  return read.name
}

/** Registers a client (RFC 7591). Only public clients, which have no secret, can be registered. */
export async function register(oauth: Oauth, request: Request): Promise<Response> {
  const { client_name: given, redirect_uris: uris } = await jsonOf(request)
  if (!Array.isArray(uris) || uris.length < 1 || uris.length > MAX_REDIRECT_URIS)
    throw new OauthError('invalid_redirect_uri', `redirect_uris must have 1 to ${MAX_REDIRECT_URIS} entries`)
  if (!uris.every((uri): uri is string => typeof uri === 'string' && isRedirectUri(uri)))
    throw new OauthError('invalid_redirect_uri', 'redirect_uris must be https, or http to localhost, without fragment and user')
  const client = await oauth.register({
    name: clientName(given === undefined ? new URL(uris[0]!).host : given),
    redirectUris: uris,
  })
  const body = {
    client_id: client.id,
    client_name: client.name,
    redirect_uris: client.redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  return Response.json(body, { status: 201 })
}
