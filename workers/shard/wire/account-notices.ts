/**
 * What the network tells about the account and its devices: `<notification>` of the types `account_sync`, `devices`, `encrypt` and `server_sync`,
 * `<ib>`, and `<success>`. Pure.
 */
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys'

/** `<notification type="account_sync">`: each change is a child. The notice of devices reads as one of its own. */
export type AccountChange =
  | { type: 'devices'; notice: BinaryNode }
  /** How long new chats keep their messages, in seconds, and since when, epoch seconds. */
  | { type: 'disappearing_mode'; duration: number; since: number }
  | { type: 'privacy' }

/** The children that are a change. */
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

/** Of one notice. A person has some dozens. */
const MAX_DEVICES = 1_000

export interface DeviceChange {
  /** Names of the person whose devices changed; empty text where there is none. */
  people: readonly string[]
  /** Every name of the devices that it is about. */
  devices: readonly string[]
  isRemoval: boolean
}

/** `<notification type="devices" from lid?><add|remove|update><device jid lid?/>…</…></notification>`. */
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

/** `<notification type="encrypt"><identity/></notification>`: somebody's phone was set up anew. */
export const hasNewIdentity = (notice: BinaryNode): boolean => getBinaryNodeChild(notice, 'identity') !== undefined

/** `<notification type="encrypt"><count value/></notification>`: so many one-time keys are left; NaN: it does not say. */
export const keysLeftIn = (notice: BinaryNode): number => Number(getBinaryNodeChild(notice, 'count')?.attrs.value ?? Number.NaN)

export interface NamedCollection {
  name: string
  /** Null: not in the notice. */
  version: number | null
}

/** `<notification type="server_sync"><collection name version?/>…</notification>`. */
export const collectionsIn = (notice: BinaryNode): NamedCollection[] =>
  getBinaryNodeChildren(notice, 'collection').map(({ attrs: { name = '', version } }) => ({
    name,
    version: version === undefined ? null : Number(version),
  }))

/** `<ib><dirty type timestamp?/></ib>`: something is to be read anew. */
export function dirtyIn(node: BinaryNode): { type: string | undefined; timestamp: string | undefined } {
  const { type, timestamp } = getBinaryNodeChild(node, 'dirty')?.attrs ?? {}
  return { type, timestamp }
}

/** A time that a calendar has. */
const LATEST = 1e11

/** `<ib><client_expiration t/></ib>`: from when on the version of the client is refused, epoch seconds; null: it does not say. */
export function expirationIn(node: BinaryNode): number | null {
  const seconds = Number(getBinaryNodeChild(node, 'client_expiration')?.attrs.t)
  return Number.isSafeInteger(seconds) && seconds > 0 && seconds < LATEST ? seconds : null
}

/** `<success lid>`: the LID of the account; null: it does not say. */
export const ownLidIn = ({ attrs }: BinaryNode): string | null => attrs.lid || null

/** `<conflict type="device_removed"/>`, of a stream error: the account was logged out. It comes with a code, or without one. */
export function isDeviceRemoval(node: unknown): boolean {
  const { tag, attrs } = (typeof node === 'object' && node !== null ? node : {}) as { tag?: unknown; attrs?: { type?: unknown } }
  return tag === 'conflict' && attrs?.type === 'device_removed'
}
