/**
 * Waits for the network's acks. An ack shows whether the network accepted a message.
 */

import { areJidsSameUser, type BinaryNode } from '@whiskeysockets/baileys'
import { deferred } from '../../../../src/lib/deferred.ts'
import { type Ack, ackIn } from '../../wire/ack.ts'

export type AckOutcome =
  /** `serverId` is set for a channel post; `phash` and `addressingMode` are set for a group. */
  { ok: true; serverId?: string; phash?: string; addressingMode?: string } | { ok: false; code: number } | 'timeout' | 'closed'

const UNKNOWN_CODE = 500

export interface PendingAck {
  /**
   * Resolves with the outcome, and never rejects. The deadline begins with this call, because the send itself can
   * take longer.
   */
  within(timeoutMs: number): Promise<AckOutcome>
  giveUp(): void
}

export interface Acks {
  /**
   * Must be called before the send, because the ack can arrive before the send resolves. `to` (the chat in the stanza)
   * is compared, because the network also acks our receipts, whose ids other people choose.
   */
  expect(messageId: string, to: string): PendingAck
  came(ack: BinaryNode): void
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
      const verdict = deferred<AckOutcome>()
      const mine: Waiting = {
        to,
        finish(outcome) {
          isOver = true
          clearTimeout(timer)
          const all = waiting.get(messageId)
          all?.delete(mine)
          if (all?.size === 0) waiting.delete(messageId)
          verdict.resolve(outcome)
        },
      }
      if (hasEnded) mine.finish('closed')
      else waiting.set(messageId, (waiting.get(messageId) ?? new Set()).add(mine))
      return {
        within(timeoutMs) {
          if (!isOver) timer = setTimeout(mine.finish, timeoutMs, 'timeout')
          return verdict.promise
        },
        giveUp: () => mine.finish('closed'),
      }
    },
    came(node) {
      const ack = ackIn(node)
      for (const { to, finish } of [...(waiting.get(ack.id) ?? [])]) {
        // Some networks ack a message with the class of a receipt. Such an ack cannot be distinguished from the ack
        // of our receipt with the same person and id, so it is accepted.
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
