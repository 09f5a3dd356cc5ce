/**
 * Lists of devices as Signal can address them. A device of 99 and above exists on hosted servers only; a list that names another one has an entry
 * that cannot be sent to. The library makes an address of each entry and throws at that one (Signal/libsignal.js, as our `keys/signal/address.ts`),
 * which ends the whole send or, in a group, each send for which only that entry lacks the group's key. So the entry is removed from the answer before
 * the library reads it: callers get the answer in a later turn than the router.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { HOSTED_DEVICE } from '../keys/signal/address.ts'
import { type ListedDevice, withoutDevices } from '../wire/device-list.ts'

/** Filters an answer. `onSkipped` is called with the person and the ids that are left out. */
export const leaveOutUnaddressable = (answer: BinaryNode, onSkipped: (jid: string, devices: readonly string[]) => void): void =>
  withoutDevices(answer, isAddressable, onSkipped)

const isAddressable = ({ id, isHosted }: ListedDevice): boolean =>
  Number.isInteger(id) && id >= 0 && (id < HOSTED_DEVICE || (id === HOSTED_DEVICE && isHosted))
