/**
 * BAILEYS 3 and 4. `sendMessage` and `relayMessage` resolve when bytes are written; whether the network took the message is only in its
 * ack, and the library reports an ack's error through the event buffer, where it can disappear. So the raw ack is what decides.
 */
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'

export type AckOutcome =
  /** `serverId` of a channel post. */
  | { ok: true; serverId?: string }
  | { ok: false; code: number }
  | 'timeout'
  /** The connection ended first, or the caller gave up. */
  | 'closed'

/** Codes are numbers; one that is not is none we know. */
const UNKNOWN_CODE = 500

/**
 * Must be armed before the send: the ack can be there before `sendMessage` resolves. Never rejects. `signal` ends the wait (a send that
 * threw).
 */
export function waitForAck(
  sock: Pick<WASocket, 'ws' | 'ev'>,
  messageId: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<AckOutcome> {
  // The library emits one event per attribute: this one is ours alone, however many sends are waiting.
  const event = `CB:ack,id:${messageId}`
  return new Promise((resolve) => {
    const finish = (outcome: AckOutcome) => {
      clearTimeout(timer)
      sock.ws.off(event, onAck)
      sock.ev.off('connection.update', onUpdate)
      signal?.removeEventListener('abort', onAbort)
      resolve(outcome)
    }
    const onAck = ({ attrs }: BinaryNode) => {
      if (attrs.class !== 'message') return
      if (attrs.error !== undefined) finish({ ok: false, code: Number(attrs.error) || UNKNOWN_CODE })
      else finish(attrs.server_id === undefined ? { ok: true } : { ok: true, serverId: attrs.server_id })
    }
    const onUpdate = ({ connection }: { connection?: string }) => {
      if (connection === 'close') finish('closed')
    }
    const onAbort = () => finish('closed')
    const timer = setTimeout(finish, timeoutMs, 'timeout')
    sock.ws.on(event, onAck)
    sock.ev.on('connection.update', onUpdate)
    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted) finish('closed')
  })
}
