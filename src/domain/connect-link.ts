/**
 * Connect links: the operator's customer pairs one instance on a page of this service, and sees neither a key nor the
 * token of the instance.
 */
import { DAY, MINUTE } from './clock.ts'
import type { InstanceId, WorkspaceId } from './ids.ts'
import type { Language } from './language.ts'

/** Bounds of the lifetime of a link in ms. */
export const CONNECT_LIFE = { min: 5 * MINUTE, max: 7 * DAY, default: DAY }
export const MAX_FRAME_ORIGINS = 10
export const MAX_LINKS = 20

export interface ConnectOperator {
  name: string | null
  color: string | null
}

export interface ConnectWish {
  lifeMs: number
  allowedOrigins: readonly string[]
  locale: Language
  operator: ConnectOperator
}

/** A connect link. Times are in epoch ms. */
export interface ConnectLink extends Omit<ConnectWish, 'lifeMs'> {
  id: string
  workspace: WorkspaceId
  instance: InstanceId
  createdAt: number
  expiresAt: number
  /** Time at which the instance was connected, which ended the link. */
  pairedAt: number | null
}

export const CONNECT_STATUSES = ['open', 'paired', 'expired'] as const

export interface ConnectLinks {
  /** Reads the stored links. Must be called once, before all other methods. */
  load(): Promise<void>
  /**
   * Creates a link and its secret, which is the last part of the page's URL; only the hash of the secret is stored.
   * Rejects with `Failure`.
   */
  create(workspace: WorkspaceId, instance: InstanceId, wish: ConnectWish): Promise<{ link: ConnectLink; secret: string }>
  /** Returns the links of a workspace, the newest first. */
  list(workspace: WorkspaceId): ConnectLink[]
  /** Opens the link again at the same URL. The link expires `lifeMs` from now. Rejects with `Failure`. */
  renew(workspace: WorkspaceId, id: string, lifeMs: number): Promise<ConnectLink>
  /** Ends the link, and then the pairing that was begun with the link. */
  revoke(workspace: WorkspaceId, id: string): Promise<void>
  statusOf(link: ConnectLink): (typeof CONNECT_STATUSES)[number]
  /**
   * True if the link ended a moment ago because its instance was connected. The page may then still ask whether the
   * instance is connected.
   */
  wasJustUsed(link: ConnectLink): boolean
  begin(link: ConnectLink): void
  /**
   * Ends pairings whose link has expired and links whose instance is connected, and removes links that ended long ago.
   * It runs every minute.
   */
  sweep(): Promise<void>
  /**
   * Returns the link with this secret, even if it has ended; undefined if there is none. It is synchronous, so that
   * many concurrent guesses cannot pass the throttle before the first is counted.
   */
  find(secret: string): ConnectLink | undefined
  stop(): Promise<void>
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1'])
const MAX_ORIGIN = 300
/**
 * Matches host names that an origin may have. A content security policy cannot name an IPv6 address, and other
 * characters could begin another rule of the policy.
 */
const HOST = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/

/**
 * True if a page of this origin may frame the page of a link. The origin must be https, or http on the same machine, in
 * the form that browsers send.
 */
export function isFrameOrigin(value: string): boolean {
  if (value.length > MAX_ORIGIN || !URL.canParse(value)) return false
  const { protocol, hostname, origin } = new URL(value)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))
  return isSafe && origin === value && HOST.test(hostname)
}
