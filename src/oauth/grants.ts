/**
 * Issues the tokens of apps and checks them. A refresh token is valid once. If it is used again, it or its successor
 * was stolen, so the app is revoked (RFC 9700, 4.14.2).
 */
import { randomUUID } from 'node:crypto'
import { isSameHash } from '../account/credentials.ts'
import { type Clock, HOUR, isRecent, MINUTE, SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { Batch } from '../storage/contract.ts'
import type { Oauth, OauthClient, Tokens } from './oauth.ts'
import type { StoredApp } from './records.ts'
import { createStoredApps, type StoredAppsDeps } from './stored-apps.ts'
import { familyOf, hashOf, newAccessToken, newFamily, newRefreshToken } from './tokens.ts'

const ACCESS = HOUR
const REFRESH = 30 * 24 * HOUR
const USE_INTERVAL = MINUTE

export interface GrantsDeps extends StoredAppsDeps {
  clock: Clock
  log: Log
}

type GrantsPart = Pick<Oauth, 'refresh' | 'revokeToken' | 'authenticate' | 'used' | 'list' | 'revoke' | 'endOf' | 'stop'>

export interface Grants extends GrantsPart {
  load(): Promise<void>
  isUsed(clientId: string): boolean
  /**
   * Adds the app in one commit with the batch, which is made for the id of the app. Resolves with undefined if the
   * batch's condition is not met.
   */
  make(
    of: { client: Pick<OauthClient, 'id' | 'name'>; workspace: WorkspaceId; instance: InstanceId },
    batchOf: (id: string) => Batch,
  ): Promise<Tokens | undefined>
  end(id: string): Promise<void>
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

export function createGrants({ store, records, clock, log }: GrantsDeps): Grants {
  const apps = createStoredApps({ store, records })
  const { held, change, write, remove, end } = apps

  return {
    load: () => apps.load(clock.now()),

    isUsed: (clientId) => held.all().some((app) => app.clientId === clientId),

    async make({ client, workspace, instance }, batchOf) {
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
      return (await apps.add(app, batchOf(id))) ? tokens : undefined
    },

    end,

    async refresh(token, clientId) {
      const found = held.ofRefresh(token)
      if (!found || found.clientId !== clientId) return undefined
      let made: Tokens | undefined
      await change(found.id, async (app) => {
        if (!isSameHash(app.refreshHash, hashOf(token))) {
          log.warn(
            { app_id: app.id, instance_id: app.instance },
            'an OAuth app was revoked because its refresh token was used twice',
          )
          return remove(app.id)
        }
        if (app.refreshUntil < clock.now()) return remove(app.id)
        const { tokens, hashes } = freshTokens(familyOf(token)!, clock.now())
        await write({ ...app, ...hashes })
        made = tokens
      })
      return made
    },

    async revokeToken(token) {
      const refreshed = held.ofRefresh(token)
      if (refreshed) await end(refreshed.id)
      const app = held.ofAccess(token)
      if (app) await change(app.id, (current) => write({ ...current, accessHash: null }))
      return refreshed !== undefined || app !== undefined
    },

    authenticate(accessToken) {
      const app = held.ofAccess(accessToken)
      return app && app.accessUntil > clock.now() ? without(app) : undefined
    },

    used({ id }) {
      const app = held.get(id)
      const now = clock.now()
      if (!app || isRecent(app.lastUsedAt, now, USE_INTERVAL)) return
      held.hold({ ...app, lastUsedAt: now })
      change(id, write).catch((err: unknown) =>
        log.error({ err, app_id: id }, 'the last use of an OAuth app could not be written'),
      )
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
      return {
        ops: ending.map(({ id }) => apps.removal(id)),
        committed: () =>
          ending.forEach(({ id }) => {
            const app = held.get(id)
            if (app) held.forget(app)
          }),
      }
    },

    stop: apps.idle,
  }
}
