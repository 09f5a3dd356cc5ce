/** Parses the network's notices about the account and its devices. */
import {
  type BinaryNode,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  S_WHATSAPP_NET,
} from '@whiskeysockets/baileys'

/** Tells the network that the account has read the data that the network had marked as changed (dirty). */
export const cleanQuery = (id: string, type: string, timestamp?: number): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'urn:xmpp:whatsapp:dirty', id },
  content: [{ tag: 'clean', attrs: timestamp ? { type, timestamp: String(timestamp) } : { type } }],
})

/** One child of `<notification type="account_sync">`. */
export type AccountChange =
  | { type: 'devices'; notice: BinaryNode }
  /** `duration` in seconds, for new chats; `since` in epoch seconds. */
  | { type: 'disappearing_mode'; duration: number; since: number }
  | { type: 'privacy' }

export const ACCOUNT_CHANGES = ['devices', 'disappearing_mode', 'privacy'] as const satisfies readonly AccountChange['type'][]

export const accountChangesIn = (notice: BinaryNode): AccountChange[] =>
  getAllBinaryNodeChildren(notice).flatMap((change): AccountChange[] => {
    switch (change.tag) {
      case 'devices':
        return [{ type: 'devices', notice: { ...notice, content: [change] } }]
      case 'disappearing_mode': {
        const [duration, since] = [Number(change.attrs.duration), Number(change.attrs.t)]
        const isRead = Number.isSafeInteger(duration) && Number.isSafeInteger(since)
        return isRead ? [{ type: 'disappearing_mode', duration, since }] : []
      }
      case 'privacy':
        return [{ type: 'privacy' }]
      default:
        return []
    }
  })

const MAX_DEVICES = 1_000

export interface DeviceChange {
  /**
   * Jids of the person whose devices have changed: `from`, and `lid` if the network sent it. A missing `from` is an
   * empty text.
   */
  people: readonly string[]
  devices: readonly string[]
  isRemoval: boolean
}

/** Parses `<notification type="devices" from lid?><add|remove|update><device jid lid?/>…</…></notification>`. */
export function deviceChangeIn(notice: BinaryNode): DeviceChange {
  const { from = '', lid } = notice.attrs
  const [change] = getAllBinaryNodeChildren(notice)
  const listed = getBinaryNodeChildren(change, 'device').slice(0, MAX_DEVICES)
  const devices = listed.flatMap(({ attrs }) => [attrs.jid, attrs.lid])
  return {
    people: [from, ...(lid ? [lid] : [])],
    devices: devices.filter((jid) => jid !== undefined),
    isRemoval: change?.tag === 'remove',
  }
}

export const hasNewIdentity = (notice: BinaryNode): boolean => getBinaryNodeChild(notice, 'identity') !== undefined

/**
 * Returns the number of one-time keys that the network still has, from `<notification type="encrypt"><count
 * value/></notification>`. NaN if it is missing or not a number.
 */
export const keysLeftIn = (notice: BinaryNode): number => Number(getBinaryNodeChild(notice, 'count')?.attrs.value ?? Number.NaN)

export interface NamedCollection {
  name: string
  version: number | null
}

/** Parses `<notification type="server_sync"><collection name version?/>…</notification>`. */
export const collectionsIn = (notice: BinaryNode): NamedCollection[] =>
  getBinaryNodeChildren(notice, 'collection').map(({ attrs: { name = '', version } }) => ({
    name,
    version: version === undefined ? null : Number(version),
  }))

/** Parses `<ib><dirty type timestamp?/></ib>`: the data of this type has changed and must be read again. */
export function dirtyIn(node: BinaryNode): { type: string | undefined; timestamp: string | undefined } {
  const { type, timestamp } = getBinaryNodeChild(node, 'dirty')?.attrs ?? {}
  return { type, timestamp }
}

/** Times from this one on (epoch seconds) are ignored, because they could be too large for a calendar date. */
const LATEST = 1e11

/**
 * Parses `<ib><client_expiration t/></ib>`: epoch seconds from which the network refuses this version of the client;
 * null if absent or invalid.
 */
export function expirationIn(node: BinaryNode): number | null {
  const seconds = Number(getBinaryNodeChild(node, 'client_expiration')?.attrs.t)
  return Number.isSafeInteger(seconds) && seconds > 0 && seconds < LATEST ? seconds : null
}

export const ownLidIn = ({ attrs }: BinaryNode): string | null => attrs.lid || null

/**
 * Whether the first child of a stream error means that the account was logged out: `<conflict type="device_removed"/>`.
 */
export function isDeviceRemoval(node: unknown): boolean {
  const { tag, attrs } = (typeof node === 'object' && node !== null ? node : {}) as { tag?: unknown; attrs?: { type?: unknown } }
  return tag === 'conflict' && attrs?.type === 'device_removed'
}
