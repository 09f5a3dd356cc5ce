/**
 * BAILEYS 3 and 4. `sendMessage` and `relayMessage` resolve when bytes are written; whether the network took the message is only in its
 * ack, and the library reports an ack's error through the event buffer, where it can disappear. So the ack itself is what decides.
 */
import { areJidsSameUser, type BinaryNode } from '@whiskeysockets/baileys'

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

export interface Acks {
  /**
   * Must be armed before the send: the ack can be there before it resolves. `to` is the chat as the stanza names it: the network also acks our
   * receipts, whose ids are those of the messages they are for, and whoever wrote one chose its id.
   */
  expect(messageId: string, to: string): PendingAck
  /** For the router. */
  came(ack: BinaryNode): void
  /** The connection has ended. */
  end(): void
}

interface Waiting {
  to: string
  finish(outcome: AckOutcome): void
}

export function createAcks(): Acks {
  const waiting = new Map<string, Set<Waiting>>()
  let hasEnded = false

  return {
    expect(messageId, to) {
      let timer: NodeJS.Timeout | undefined
      let finish!: (outcome: AckOutcome) => void
      const verdict = new Promise<AckOutcome>((resolve) => {
        finish = (outcome) => {
          clearTimeout(timer)
          const all = waiting.get(messageId)
          all?.delete(mine)
          if (all?.size === 0) waiting.delete(messageId)
          resolve(outcome)
        }
      })
      const mine: Waiting = { to, finish }
      if (hasEnded) finish('closed')
      else waiting.set(messageId, (waiting.get(messageId) ?? new Set()).add(mine))
      return {
        within(timeoutMs) {
          timer = setTimeout(finish, timeoutMs, 'timeout')
          // It may have been decided before: the timer is nobody's then.
          return verdict.finally(() => clearTimeout(timer))
        },
        giveUp: () => finish('closed'),
      }
    },
    came({ attrs }) {
      for (const { to, finish } of [...(waiting.get(attrs.id ?? '') ?? [])]) {
        // Some networks answer a message as if it were a receipt. One of ours to the same person under the same id is not told from it.
        if (attrs.class !== 'message' && !(attrs.class === 'receipt' && areJidsSameUser(attrs.from, to))) continue
        if (attrs.error !== undefined) finish({ ok: false, code: Number(attrs.error) || UNKNOWN_CODE })
        else finish(attrs.server_id === undefined ? { ok: true } : { ok: true, serverId: attrs.server_id })
      }
    },
    end() {
      hasEnded = true
      for (const all of [...waiting.values()]) for (const { finish } of [...all]) finish('closed')
    },
  }
}
