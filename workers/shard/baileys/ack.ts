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

export interface PendingAck {
  /** The verdict, waited for this long from now on: the send itself can take longer than any ack. Never rejects. */
  within(timeoutMs: number): Promise<AckOutcome>
  /** The send threw: nobody waits any more. */
  giveUp(): void
}

/** Must be armed before the send: the ack can be there before `sendMessage` resolves. */
export function waitForAck(sock: Pick<WASocket, 'ws' | 'ev'>, messageId: string): PendingAck {
  // The library emits one event per attribute: this one is ours alone, however many sends are waiting.
  const event = `CB:ack,id:${messageId}`
  let timer: NodeJS.Timeout | undefined
  let finish!: (outcome: AckOutcome) => void
  const verdict = new Promise<AckOutcome>((resolve) => {
    finish = (outcome) => {
      clearTimeout(timer)
      sock.ws.off(event, onAck)
      sock.ev.off('connection.update', onUpdate)
      resolve(outcome)
    }
  })
  function onAck({ attrs }: BinaryNode) {
    if (attrs.class !== 'message') return
    if (attrs.error !== undefined) finish({ ok: false, code: Number(attrs.error) || UNKNOWN_CODE })
    else finish(attrs.server_id === undefined ? { ok: true } : { ok: true, serverId: attrs.server_id })
  }
  function onUpdate({ connection }: { connection?: string }) {
    if (connection === 'close') finish('closed')
  }
  sock.ws.on(event, onAck)
  sock.ev.on('connection.update', onUpdate)
  return {
    within(timeoutMs) {
      timer = setTimeout(finish, timeoutMs, 'timeout')
      // It may have been decided before: the timer is nobody's then.
      return verdict.finally(() => clearTimeout(timer))
    },
    giveUp: () => finish('closed'),
  }
}
