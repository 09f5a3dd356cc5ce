import type { NetworkSocket } from '../network/network-socket.ts'
import { ownPresence } from '../wire/presence.ts'

export interface OwnPresence {
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
