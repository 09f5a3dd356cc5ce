/** Connect links: an operator's customer pairs one instance on a page of this service, and never sees a credential. */
import { DAY, MINUTE } from './clock.ts'
import type { InstanceId, WorkspaceId } from './ids.ts'
import type { Language } from './language.ts'

/** Bounds of the lifetime of a link in ms. */
export const CONNECT_LIFE = { min: 5 * MINUTE, max: 7 * DAY, default: DAY }
/** Number of origins that may frame the page of one link. */
export const MAX_FRAME_ORIGINS = 10
/** Number of links of one instance. */
export const MAX_LINKS = 20

/** Name and colour of the operator on the page. */
export interface ConnectOperator {
  name: string | null
  /** Colour in the form `#rrggbb`. */
  color: string | null
}

/** Choices of the person who creates a link. */
export interface ConnectWish {
  lifeMs: number
  /** Origins whose pages may frame the page of the link. */
  allowedOrigins: readonly string[]
  locale: Language
  operator: ConnectOperator
}

/** Times are in epoch ms. */
export interface ConnectLink extends Omit<ConnectWish, 'lifeMs'> {
  id: string
  workspace: WorkspaceId
  instance: InstanceId
  createdAt: number
  expiresAt: number
  /** Time at which the instance was connected while the link was open, which ended the link. */
  pairedAt: number | null
}

export const CONNECT_STATUSES = ['open', 'paired', 'expired'] as const

export interface ConnectLinks {
  /** Reads all links; called once, before the others. */
  load(): Promise<void>
  /** `secret`: the last part of the address of the page; only its hash is kept. Rejects with `Failure`. */
  create(workspace: WorkspaceId, instance: InstanceId, wish: ConnectWish): Promise<{ link: ConnectLink; secret: string }>
  /** Returns the links, newest first. */
  list(workspace: WorkspaceId): ConnectLink[]
  /** Opens the link again under the same address. It expires `lifeMs` from now. Rejects with `Failure`. */
  renew(workspace: WorkspaceId, id: string, lifeMs: number): Promise<ConnectLink>
  /** Ends the link. Resolves when the pairing that was begun with the link has also ended. */
  revoke(workspace: WorkspaceId, id: string): Promise<void>
  statusOf(link: ConnectLink): (typeof CONNECT_STATUSES)[number]
  /** Whether the link ended a moment ago because its instance was connected. The page that paired the instance may then ask once more. */
  wasJustUsed(link: ConnectLink): boolean
  /** Records that a pairing was begun with this link, so that the pairing ends when the link ends. */
  begin(link: ConnectLink): void
  /** Ends pairings whose link has expired, and removes links that ended long ago. Runs by itself every minute. */
  sweep(): Promise<void>
  /**
   * Returns the link with this secret, even if the link has ended; undefined if there is none. The call is synchronous, because otherwise many
   * concurrent guesses could pass the throttle before the first of them is counted.
   */
  find(secret: string): ConnectLink | undefined
  stop(): Promise<void>
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1'])
const MAX_ORIGIN = 300
/**
 * Host names that an origin may have. An IPv6 address in brackets is refused, because a content security policy cannot name it. Other characters are
 * refused because they could begin another rule of the policy.
 */
const HOST = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/

/** Whether a page of this origin may frame the page of a link: https, or http on the same machine, written as browsers write it. */
export function isFrameOrigin(value: string): boolean {
  if (value.length > MAX_ORIGIN || !URL.canParse(value)) return false
  const { protocol, hostname, origin } = new URL(value)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))
  return isSafe && origin === value && HOST.test(hostname)
}
