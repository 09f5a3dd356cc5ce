/**
 * Tells the network that the account becomes active, as the web client does. The message contains the time of the
 * network's clock.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import { networkTimeOf } from '../../wire/envelope.ts'
import { unifiedSession } from '../../wire/unified-session.ts'

export interface UnifiedSessionsDeps {
  ws: { readonly isOpen: boolean }
  sendNode(node: BinaryNode): Promise<void>
  onStray(error: unknown): void
}

export function createUnifiedSessions({ ws, sendNode, onStray }: UnifiedSessionsDeps) {
  let networkAheadMs = 0
  return {
    /** Learns the difference between the clocks from a stanza that has the time of the network. */
    learnTime(node: BinaryNode) {
      const seconds = networkTimeOf(node)
      if (seconds !== undefined) networkAheadMs = seconds * SECOND - Date.now()
    },
    send() {
      // The network often closes the connection right after a pairing, so the state of the connection is checked.
      if (ws.isOpen) sendNode(unifiedSession(Date.now() + networkAheadMs)).catch(onStray)
    },
  }
}
