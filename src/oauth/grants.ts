/**
 * Issues and checks the tokens of apps. A refresh token is valid once. If it is used again, this token or its successor
 * may have been stolen, so the app is revoked (RFC 9700, 4.14.2).
 */
import { randomUUID } from 'node:crypto'
import { isSameHash } from '../account/credentials.ts'
import { type Clock, HOUR, isRecent, MINUTE, SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { Op } from '../storage/contract.ts'
import type { Oauth, OauthClient, Tokens } from './oauth.ts'
import type { StoredApp } from './records.ts'
import { createStoredApps, type StoredAppsDeps } from './stored-apps.ts'
import { familyOf, hashOf, newAccessToken, newFamily, newRefreshToken } from './tokens.ts'

const ACCESS = HOUR
const REFRESH = 30 * 24 * HOUR
const USE_INTERVAL = MINUTE

export interface GrantsDeps extends StoredAppsDeps {
  clock: Clock
  /** True if other services use the same store. */
  isShared: boolean
  log: Log
  /** Reads changes of other services. */
  catchUp(): Promise<void>
}

type GrantsPart = Pick<
  Oauth,
  'refresh' | 'revokeToken' | 'authenticate' | 'used' | 'readUses' | 'list' | 'revoke' | 'endOf' | 'stop'
>

export interface Grants extends GrantsPart {
  load(): Promise<void>
  isUsed(clientId: string): boolean
  /** Makes a new app and its tokens. `work` must make the commit that adds the app. */
  make<T>(
    of: { client: Pick<OauthClient, 'id' | 'name'>; workspace: WorkspaceId; instance: InstanceId },
    work: (made: { id: string; tokens: Tokens; op: Op }) => Promise<T>,
  ): Promise<T>
  end(id: string): Promise<void>
  removal(id: string): Op[]
}

const without = ({
  accessHash: _,
  accessUntil: __,
  familyHash: ___,
  refreshHash: ____,
  refreshUntil: _____,
  ...app
}: StoredApp) => app

function freshTokens(family: string, now: number) {
  const tokens: Tokens = { accessToken: newAccessToken(), refreshToken: newRefreshToken(family), expiresIn: ACCESS / SECOND }
  const hashes = {
    accessHash: hashOf(tokens.accessToken),
    accessUntil: now + ACCESS,
    refreshHash: hashOf(tokens.refreshToken),
    refreshUntil: now + REFRESH,
  }
  return { tokens, hashes }
}

export function createGrants({ main, store, uses, isShared, records, clock, log, catchUp }: GrantsDeps): Grants {
  const apps = createStoredApps({ main, store, uses, records, log })
  const { held, change, end, removal } = apps

  /**
   * Returns the app of a token. Another service may have issued the token a moment ago, so changes are read if it is
   * unknown.
   */
  async function find(token: string, of: (token: string) => StoredApp | undefined): Promise<StoredApp | undefined> {
    if (of(token) === undefined) await catchUp()
    return of(token)
  }

  return {
    load: () => apps.load(clock.now()),

    isUsed: (clientId) => held.all().some((app) => app.clientId === clientId),

    make({ client, workspace, instance }, work) {
      const family = newFamily()
      const { tokens, hashes } = freshTokens(family, clock.now())
      const id = randomUUID()
      const app = {
        id,
        workspace,
        instance,
        clientId: client.id,
        clientName: client.name,
        createdAt: clock.now(),
        lastUsedAt: null,
        familyHash: hashOf(family),
        ...hashes,
      }
      return apps.add(app, (op) => work({ id, tokens, op }))
    },

    end,
    removal,

    async refresh(token, clientId) {
      const family = familyOf(token)
      if (family === undefined) return undefined
      const found = await find(token, held.ofRefresh)
      if (!found || found.clientId !== clientId) return undefined
      let made: Tokens | undefined
      let isUsedTwice = false
      await change(found.id, (app) => {
        made = undefined
        isUsedTwice = !isSameHash(app.refreshHash, hashOf(token))
        if (isUsedTwice || app.refreshUntil < clock.now()) return undefined
        const { tokens, hashes } = freshTokens(family, clock.now())
        made = tokens
        return { ...app, ...hashes }
      })
      const { id: app_id, instance: instance_id } = found
      if (isUsedTwice) log.warn({ app_id, instance_id }, 'an OAuth app was revoked because its refresh token was used twice')
      return made
    },

    async revokeToken(token) {
      const known = await find(token, (value) => held.ofRefresh(value) ?? held.ofAccess(value))
      if (known === undefined) return false
      if (held.ofRefresh(token)) await end(known.id)
      // Another request may have replaced the access token.
      else await change(known.id, (app) => (app.accessHash === known.accessHash ? { ...app, accessHash: null } : app))
      return true
    },

    authenticate(accessToken) {
      const app = held.ofAccess(accessToken)
      return app && app.accessUntil > clock.now() ? without(app) : undefined
    },

    used({ id }) {
      const app = held.get(id)
      const now = clock.now()
      if (!app || isRecent(app.lastUsedAt, now, USE_INTERVAL)) return
      uses.note(id, { at: now, ip: null })
      held.hold({ ...app, lastUsedAt: now })
      apps
        .writeUse(id)
        .catch((err: unknown) => log.error({ err, app_id: id }, 'the last use of an OAuth app could not be written'))
    },

    async readUses() {
      if (isShared) await apps.readUses()
    },

    list: (workspace) =>
      held
        .all()
        .filter((app) => app.workspace === workspace)
        .reverse()
        .map(without),

    async revoke(workspace, id) {
      if (held.get(id)?.workspace !== workspace) throw new Failure('not_found', { message: 'No OAuth app has this id.' })
      await end(id)
    },

    endOf(of) {
      const ending = held
        .all()
        .filter((app) => ('instance' in of ? app.instance === of.instance : app.workspace === of.workspace))
      return { ops: ending.flatMap(({ id }) => removal(id)) }
    },

    stop: apps.idle,
  }
}
