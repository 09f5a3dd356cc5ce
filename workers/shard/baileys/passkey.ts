/**
 * BAILEYS 18. Some accounts link a new device only with a passkey: after the scan (or the code) the network sends
 * `<notification type="passkey_prologue_request">` with WebAuthn options for whatsapp.com, later `crsc_continuation`. The library
 * acknowledges and drops both, and the socket hangs (github.com/WhiskeySockets/Baileys/issues/2672). We have no passkey either: it is
 * surfaced at once.
 */
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { ackWhileUnlinked } from './notification-ack.ts'

const TYPES = ['passkey_prologue_request', 'crsc_continuation']

export interface PasskeyHook {
  onPasskeyRequest(request: { type: string }): void
  /** The acknowledgement could not be sent. */
  onError(error: unknown): void
}

export function watchPasskeyRequest(
  sock: Pick<WASocket, 'ws' | 'authState' | 'sendNode'>,
  { onPasskeyRequest, onError }: PasskeyHook,
): void {
  for (const type of TYPES) {
    sock.ws.on(`CB:notification,type:${type}`, (node: BinaryNode) => {
      ackWhileUnlinked(sock, node).catch(onError)
      onPasskeyRequest({ type })
    })
  }
}
