/**
 * Drops device lists after a device was linked or removed, or if the hash in an ack has changed, so that the next send
 * queries them again. A device from a notification is never added to a stored list, because an incomplete list would
 * look complete.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { DeviceLists } from '../../connection/device-lists.ts'
import type { Identity } from '../../connection/identity.ts'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { deviceChangeIn } from '../../wire/account-notices.ts'
import { ackIn } from '../../wire/ack.ts'
import type { Group } from '../../wire/groups.ts'
import { bare, chatKind } from '../../wire/jid.ts'

export interface DeviceDeps {
  sock: Pick<NetworkSocket, 'signalRepository'>
  identity: Pick<Identity, 'lidOf' | 'pnOf' | 'own'>
  lists: Pick<DeviceLists, 'drop'>
  groups: { known(jid: string): Group | undefined; forget(jid: string): void }
}

export interface Devices {
  changed(notice: BinaryNode): Promise<void>
  forget(jid: string): Promise<void>
  acked(ack: BinaryNode): Promise<void>
}

const MAX_HASHES = 2_000

export function createDevices({ sock, identity, lists, groups }: DeviceDeps): Devices {
  const hashes = new Map<string, string>()

  async function namesOf(jid: string): Promise<string[]> {
    const name = bare(jid)
    const other = name.endsWith('@lid') ? await identity.pnOf(name) : await identity.lidOf(name)
    return other === null ? [name] : [name, other]
  }

  async function forget(jid: string) {
    lists.drop(await namesOf(jid))
  }

  /**
   * Drops the device lists of a chat. `isChanged` means that the hash of the chat's devices differs from the last one.
   * Only then is the metadata of a group dropped, because other changes of members arrive as notices.
   */
  async function forgetChat(chat: string, isChanged: boolean) {
    const members = chatKind(chat) === 'group' ? (groups.known(chat)?.participants ?? []) : [{ id: chat }]
    if (isChanged) groups.forget(chat)
    for (const { id } of members) lists.drop([id])
    for (const { id } of members.slice(0, 1)) await forget(id)
    // The list of the account's own devices is dropped too, because each message is also sent to them.
    lists.drop(identity.own())
  }

  return {
    forget,
    async changed(notice) {
      const { people, devices, isRemoval } = deviceChangeIn(notice)
      for (const jid of new Set([...people, ...devices].map(bare))) await forget(jid)
      if (isRemoval && devices.length > 0) await sock.signalRepository.deleteSession([...devices])
    },
    /**
     * Compares the hash of the recipient devices with the last hash of the same chat on this connection. Unless the two
     * are equal, devices may have changed, so the chat's device lists are dropped.
     */
    async acked(ack) {
      const { from, phash } = ackIn(ack)
      const before = hashes.get(from)
      if (phash === undefined || before === phash) return
      hashes.delete(from)
      hashes.set(from, phash)
      for (const oldest of hashes.keys()) {
        if (hashes.size <= MAX_HASHES) break
        hashes.delete(oldest)
      }
      await forgetChat(from, before !== undefined)
    },
  }
}
