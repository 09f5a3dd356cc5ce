/**
 * Removes devices that Signal cannot address from device lists. Devices from 99 on exist only on hosted servers; an entry with such an id on another
 * server cannot be sent to. The library creates an address from each entry and throws at that one (Signal/libsignal.js, like our
 * `keys/signal/address/address-book.ts`), which ends the whole send, or in a group every send for which only that entry lacks the group's key. The entry is
 * removed from the answer before the library reads it, because callers get the answer in a later turn than the router.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { HOSTED_DEVICE } from '../keys/signal/address/address-book.ts'
import { type ListedDevice, withoutDevices } from '../wire/device-list.ts'

/** Filters an answer. `onSkipped` is called with the person and the removed device ids. */
export const leaveOutUnaddressable = (answer: BinaryNode, onSkipped: (jid: string, devices: readonly string[]) => void): void =>
  withoutDevices(answer, isAddressable, onSkipped)

const isAddressable = ({ id, isHosted }: ListedDevice): boolean =>
  Number.isInteger(id) && id >= 0 && (id < HOSTED_DEVICE || (id === HOSTED_DEVICE && isHosted))
