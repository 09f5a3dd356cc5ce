/**
 * Lists of devices as Signal can address them. A device of 99 and above exists on hosted servers only; a list that names another one has
 * an entry that nobody can write to. The library makes an address of each entry, throws at that one (Signal/libsignal.js, as our
 * `keys/signal/address.ts`), and with it the whole send ends, or, in a group, whenever it is the only one without the group's key. So the
 * entry is taken out of the answer before the library reads it: whoever asked gets it in a later turn than the router.
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys'
import { HOSTED_DEVICE } from '../keys/signal/address.ts'

/** Of an answer. `onSkipped` is given the person and the ids that are left out. */
export function leaveOutUnaddressable(answer: BinaryNode, onSkipped: (jid: string, devices: readonly string[]) => void): void {
  const list = getBinaryNodeChild(getBinaryNodeChild(answer, 'usync'), 'list')
  for (const user of getBinaryNodeChildren(list, 'user')) {
    const devices = getBinaryNodeChild(getBinaryNodeChild(user, 'devices'), 'device-list')
    if (!Array.isArray(devices?.content)) continue
    const skipped = devices.content.filter((device) => !isAddressable(device))
    if (skipped.length === 0) continue
    devices.content = devices.content.filter(isAddressable)
    onSkipped(
      user.attrs.jid ?? '',
      skipped.map(({ attrs }) => attrs.id ?? ''),
    )
  }
}

function isAddressable({ attrs: { id, is_hosted } }: BinaryNode): boolean {
  const device = Number(id)
  return Number.isInteger(device) && device >= 0 && (device < HOSTED_DEVICE || (device === HOSTED_DEVICE && is_hosted === 'true'))
}
