/**
 * While a device is being linked the library acknowledges no notification: it reads its own jid for the ack (Socket/messages-recv.js,
 * sendMessageAck), has none yet, and only logs the TypeError. What we handle ourselves in that time we acknowledge ourselves.
 */
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { buildAckStanza } from '@whiskeysockets/baileys/lib/Utils/stanza-ack.js'

export async function ackWhileUnlinked(sock: Pick<WASocket, 'authState' | 'sendNode'>, notification: BinaryNode): Promise<void> {
  if (sock.authState.creds.me?.id) return
  await sock.sendNode(buildAckStanza(notification))
}
