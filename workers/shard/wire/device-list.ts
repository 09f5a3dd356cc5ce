/**
 * Changes lists of devices in the answer to `usync`: `<usync><list><user jid><devices><device-list><device id
 * is_hosted?/>…`. Pure.
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys'

export interface ListedDevice {
  /** Id of the device; NaN if absent. */
  id: number
  isHosted: boolean
}

/** Removes devices from an answer, in place, because the library reads it later. `onRemoved` is called with the person and the removed ids. */
export function withoutDevices(
  answer: BinaryNode,
  isKept: (device: ListedDevice) => boolean,
  onRemoved: (jid: string, ids: readonly string[]) => void,
): void {
  const list = getBinaryNodeChild(getBinaryNodeChild(answer, 'usync'), 'list')
  for (const user of getBinaryNodeChildren(list, 'user')) {
    const devices = getBinaryNodeChild(getBinaryNodeChild(user, 'devices'), 'device-list')
    if (!Array.isArray(devices?.content)) continue
    const removed = devices.content.filter((device) => !isKept(deviceOf(device)))
    if (removed.length === 0) continue
    devices.content = devices.content.filter((device) => !removed.includes(device))
    onRemoved(
      user.attrs.jid ?? '',
      removed.map(({ attrs }) => attrs.id ?? ''),
    )
  }
}

const deviceOf = ({ attrs: { id, is_hosted: isHosted } }: BinaryNode): ListedDevice => ({
  id: Number(id),
  isHosted: isHosted === 'true',
})
