import type { Account, ApiKey } from '../account/account.ts'
import { API_KEY_PREFIX } from '../domain/brand.ts'
import { Failure } from '../domain/failures.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import type { Scope, Workspace } from '../domain/workspace.ts'
import { type AccessRequest, bearer, MAX_CREDENTIAL } from './access-request.ts'
import type { Guesses } from './guesses.ts'

export interface KeyChecksDeps {
  account: Pick<Account, 'findApiKey' | 'findClientToken' | 'used'>
  guesses: Guesses
}

export interface KeyChecks {
  /** Returns the API key in `Authorization`. This header cannot contain an imported client token. */
  keyOfBearer(headers: Headers): ApiKey | undefined
  /** True if the headers have an API key that is not in memory. */
  hasUnknownKey(headers: Headers): boolean
  /**
   * Checks the API key or client token of a request, if the workspace requires one. `mayBear`: whether the key may be
   * in `Authorization`.
   */
  checkKey(workspace: Workspace, incoming: AccessRequest, mayBear?: boolean): void
}

export function checkScope(key: ApiKey, scope: Scope): void {
  if (!key.scopes.includes(scope)) throw new Failure('insufficient_scope', { details: { required_scope: scope } })
}

export function createKeyChecks(deps: KeyChecksDeps): KeyChecks {
  const { account } = deps
  const guesses: Guesses = deps.guesses
  function keyOfBearer(headers: Headers): ApiKey | undefined {
    const value = bearer(headers)
    if (value === undefined || !value.startsWith(API_KEY_PREFIX)) return undefined
    return account.findApiKey(value)
  }

  function hasUnknownKey(headers: Headers): boolean {
    const isUnknown = (value: string | null | undefined) =>
      value?.startsWith(API_KEY_PREFIX) === true && value.length <= MAX_CREDENTIAL && account.findApiKey(value) === undefined
    return isUnknown(bearer(headers)) || isUnknown(headers.get('Client-Token'))
  }

  /**
   * Returns the key in the header `Client-Token`. A value without the prefix of an API key may be an imported client
   * token, which people may have chosen.
   */
  function keyOfClientToken(workspace: WorkspaceId, { headers, source }: AccessRequest): ApiKey | undefined {
    const value = headers.get('Client-Token')
    if (value === null || value === '' || value.length > MAX_CREDENTIAL) return undefined
    if (value.startsWith(API_KEY_PREFIX)) return account.findApiKey(value)
    return guesses.guessed(workspace, source, () => account.findClientToken(workspace, value))
  }

  function checkKey({ id, security }: Workspace, incoming: AccessRequest, mayBear = true): void {
    const { headers, source } = incoming
    if (!security.requireClientToken && !security.requireApiKey) return
    const isBearer = mayBear && !security.requireClientToken && headers.has('Authorization')
    const key = isBearer ? keyOfBearer(headers) : keyOfClientToken(id as WorkspaceId, incoming)
    if (key?.workspace !== id) guesses.refuse(security.requireClientToken ? 'client_token_required' : 'api_key_required', source)
    account.used(key, source)
    checkScope(key, 'instances:operate')
  }

  return { keyOfBearer, hasUnknownKey, checkKey }
}
