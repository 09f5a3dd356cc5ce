/**
 * All families of records that the main thread writes, apart from records with the prefix `instance:`. A family is all
 * records with one prefix. `heldBy` is the file that keeps the family, or a part of it, in the memory of the main
 * thread.
 *
 * A family with `isFollowed` is read and changed through `MainRecords`, so services that share a store see each other's
 * changes of it.
 */
import { keys } from '../record-keys.ts'

interface Family {
  prefix: string
  heldBy: string | null
  isFollowed: boolean
}

const held = (prefix: string, heldBy: string): Family => ({ prefix, heldBy, isFollowed: false })
const followed = (prefix: string, heldBy: string) => ({ prefix, heldBy, isFollowed: true }) as const
const notHeld = (prefix: string): Family => ({ prefix, heldBy: null, isFollowed: false })

export const FAMILIES = {
  /** Workspaces and their API keys. */
  account: followed(keys.workspaces, 'account/stored-account.ts'),
  configs: followed(keys.configs, 'directory/held-instances.ts'),
  connectLinks: followed(keys.connectLinks, 'connect/stored-links.ts'),
  dashboardSessions: followed(keys.dashboardSessions, 'account/dashboard-sessions.ts'),
  /** Only members of a cluster store these records. */
  passkeyTickets: followed(keys.passkeyTickets, 'passkey/tickets.ts'),
  oauthApps: followed(keys.oauthApps, 'oauth/stored-apps.ts'),
  oauthCodes: followed(keys.oauthCodes, 'oauth/stored-codes.ts'),
  /** Anybody can create these records. A service that does not have one in memory reads it from the store. */
  oauthClients: held(keys.oauthClients, 'oauth/clients.ts'),
  oauthConsents: held(keys.oauthConsents, 'oauth/short-lived.ts'),
  /** When each API key and each app was last used. */
  apiKeyUses: held(keys.apiKeyUses, 'storage/latest-uses.ts'),
  oauthAppUses: held(keys.oauthAppUses, 'storage/latest-uses.ts'),
  /** Imported devices that a command or an upload passes on to the service. */
  imports: notHeld('import:'),
  orders: notHeld('order:'),
  charts: held(keys.charts, 'health/series.ts'),
  /**
   * The owner of the store, the check of its keys, the marks of a moved or copied store, and the web client version.
   */
  store: notHeld('meta:'),
} satisfies Record<string, Family>

export type FollowedFamily = {
  [K in keyof typeof FAMILIES]: (typeof FAMILIES)[K]['isFollowed'] extends true ? K : never
}[keyof typeof FAMILIES]
