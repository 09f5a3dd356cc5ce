/**
 * `sendMessage` and `relayMessage` resolve when bytes are written; whether the network took the message is only in its ack, and the library reports
 * an ack's error through the event buffer, where it can disappear. So the ack itself is what decides.
 */
import { areJidsSameUser, type BinaryNode } from '@whiskeysockets/baileys'
import { type Ack, ackIn } from '../../wire/ack.ts'

export type AckOutcome =
  /** `serverId` of a channel post; `phash` and `addressingMode` of a group, as the network has them. */
  | { ok: true; serverId?: string; phash?: string; addressingMode?: string }
  | { ok: false; code: number }
  | 'timeout'
  /** The connection ended first, or the caller gave up. */
  | 'closed'

/** Codes are numbers; one that is not is none we know. */
const UNKNOWN_CODE = 500

export interface PendingAck {
  /** The verdict, waited for this long from now on: the send itself can take longer than any ack. Never rejects. */
  within(timeoutMs: number): Promise<AckOutcome>
  /** The send threw: the verdict is no longer awaited. */
  giveUp(): void
}

export interface Acks {
  /**
   * Must be armed before the send: the ack can arrive before the send resolves. `to` is the chat as the stanza names it: the network also acks our
   * receipts, which carry the ids of other people's messages, and those ids are chosen by their senders.
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
      let isOver = false
      let finish!: (outcome: AckOutcome) => void
      const verdict = new Promise<AckOutcome>((resolve) => {
        finish = (outcome) => {
          isOver = true
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
          // Once the verdict has been reached nothing clears it.
          if (!isOver) timer = setTimeout(finish, timeoutMs, 'timeout')
          return verdict
        },
        giveUp: () => finish('closed'),
      }
    },
    came(node) {
      const ack = ackIn(node)
      for (const { to, finish } of [...(waiting.get(ack.id) ?? [])]) {
        // Some networks ack a message with the class of a receipt. An ack of our receipt for the same person and id looks the same.
        if (ack.class !== 'message' && !(ack.class === 'receipt' && areJidsSameUser(ack.from, to))) continue
        if (ack.error !== undefined) finish({ ok: false, code: Number(ack.error) || UNKNOWN_CODE })
        else finish(accepted(ack))
      }
    },
    end() {
      hasEnded = true
      for (const all of [...waiting.values()]) for (const { finish } of [...all]) finish('closed')
    },
  }
}

const accepted = ({ serverId, phash, addressingMode }: Ack): AckOutcome => ({
  ok: true,
  ...(serverId === undefined ? {} : { serverId }),
  ...(phash === undefined ? {} : { phash }),
  ...(addressingMode === undefined ? {} : { addressingMode }),
})
