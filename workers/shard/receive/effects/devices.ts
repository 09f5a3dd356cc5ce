/**
 * Drops the device lists of a person when one of their devices, possibly one of our own account, was linked or removed.
 * The lists under number and LID are dropped, and the next send queries them again. A notice never adds a device to a
 * list, because an incomplete list would look complete.
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
  /** Handles `<notification type=devices>`, and `<devices>` of an account sync. */
  changed(notice: BinaryNode): Promise<void>
  /** Drops the lists of a person, by any of their jids. */
  forget(jid: string): Promise<void>
  /** Handles the `<ack>` of a message with the network's hash of its recipient devices. */
  acked(ack: BinaryNode): Promise<void>
}

/** The most chats whose last hash is remembered. */
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
   * Drops the device lists of a chat. `isChanged`: the chat had another hash before on this connection. Only then a
   * group is forgotten as well, because changes of its members arrive as notices anyway.
   */
  async function forgetChat(chat: string, isChanged: boolean) {
    const members = chatKind(chat) === 'group' ? (groups.known(chat)?.participants ?? []) : [{ id: chat }]
    if (isChanged) groups.forget(chat)
    // The lists of our own account are dropped too, because each message is also sent to our own devices.
    for (const { id } of members) lists.drop([id])
    for (const { id } of members.slice(0, 1)) await forget(id)
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
     * The network sends a hash of the devices that received the message. Its algorithm is unknown (the library's own
     * differs from other clients'), so the hash is only compared with the last hash of the chat on this connection. A
     * first hash, and a hash that differs, mean that the devices of a person may have changed.
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
