/**
 * Handles `<ib><dirty type timestamp/></ib>`: some data has changed and must be read again. The library's handler
 * queries communities in a format that the network does not answer.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { cleanQuery, dirtyIn } from '../../wire/account-notices.ts'

export interface DirtyDeps {
  sock: Pick<NetworkSocket, 'sendNode' | 'generateMessageTag' | 'authState' | 'ev'>
  readGroups(): Promise<void>
}

export function handleDirty({ sock, readGroups }: DirtyDeps) {
  const clean = (type: string, timestamp?: number) => sock.sendNode(cleanQuery(sock.generateMessageTag(), type, timestamp))

  return async (node: BinaryNode): Promise<void> => {
    const { type, timestamp } = dirtyIn(node)
    switch (type) {
      case 'groups':
      case 'communities':
        await readGroups()
        return clean('groups')
      case 'account_sync': {
        if (!timestamp) return
        const { lastAccountSyncTimestamp } = sock.authState.creds
        if (lastAccountSyncTimestamp) await clean('account_sync', lastAccountSyncTimestamp)
        sock.ev.emit('creds.update', { lastAccountSyncTimestamp: Number(timestamp) })
        return
      }
      default:
    }
  }
}
