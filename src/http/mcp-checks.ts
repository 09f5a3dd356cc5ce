/** Authentication of `/mcp`, where the credential identifies the instance. */
import type { Account } from '../account/account.ts'
import type { Directory } from '../directory/directory.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import type { Oauth, OauthApp } from '../oauth/oauth.ts'
import { type AccessRequest, bearer } from './access-request.ts'
import type { createAllowlistCheck } from './allowlist-check.ts'
import type { Guesses } from './guesses.ts'
import type { createKeyChecks } from './key-checks.ts'
import type { RequestLimit } from './request-limit.ts'

export interface McpChecksDeps {
  account: Pick<Account, 'workspace'>
  directory: Pick<Directory, 'authenticateToken' | 'tokenTagOf'>
  oauth: Pick<Oauth, 'authenticate' | 'used'> | null
  guesses: Guesses
  requests: RequestLimit
  checkAllowlist: ReturnType<typeof createAllowlistCheck>
  keyChecks: Pick<ReturnType<typeof createKeyChecks>, 'hasUnknownKey' | 'checkKey'>
}

interface Caller {
  instance: InstanceId
  workspace: WorkspaceId
}

export function createMcpChecks(deps: McpChecksDeps) {
  const { account, directory, oauth, requests, checkAllowlist, keyChecks } = deps
  const guesses: Guesses = deps.guesses

  /** Returns the app of an access token. The token is valid only as long as its instance exists. */
  function appOf(value: string): OauthApp | undefined {
    const app = oauth?.authenticate(value)
    return app && directory.tokenTagOf(app.instance) !== undefined ? app : undefined
  }

  const callerOf = (value: string): Caller | undefined => appOf(value) ?? directory.authenticateToken(value)

  return {
    callerOf,

    /** False if the credentials are not in memory. Another service may have stored them a moment ago. */
    knows(headers: Headers): boolean {
      const value = bearer(headers)
      if (value === undefined) return true
      return callerOf(value) !== undefined && !keyChecks.hasUnknownKey(headers)
    },

    admit(incoming: AccessRequest): Caller {
      const value = bearer(incoming.headers)
      if (value === undefined) throw new Failure('unauthorized')
      const app = appOf(value)
      const caller = app ?? directory.authenticateToken(value)
      if (!caller) guesses.refuse('instance_not_found', incoming.source)
      if (app) oauth?.used(app)
      const owner = `instance:${caller.instance}`
      requests.report(owner, incoming)
      const workspace = account.workspace(caller.workspace)
      checkAllowlist(workspace, incoming.source)
      // An app needs no API key, because the owner has approved it with the admin key.
      if (!app) keyChecks.checkKey(workspace, incoming, false)
      requests.take('instance', owner, incoming)
      return { instance: caller.instance, workspace: caller.workspace }
    },
  }
}
