/** Shows the account as available or not. */
import type { NetworkSocket } from '../network/network-socket.ts'
import { ownPresence } from '../wire/presence.ts'

export interface OwnPresence {
  /** Shows the account as available or not, to everybody who may see it. Without a name nothing is sent. */
  announce(isAvailable: boolean): Promise<void>
  isAvailable(): boolean
}

export function createPresence(sock: NetworkSocket): OwnPresence {
  const { creds } = sock.authState
  let isAvailable = false
  return {
    async announce(isNext) {
      if (!creds.me?.name) return
      isAvailable = isNext
      if (isNext) sock.sendUnifiedSession()
      await sock.sendNode(ownPresence(creds.me.name, isNext))
    },
    isAvailable: () => isAvailable,
  }
}
