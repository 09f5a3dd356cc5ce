/** Changes stored messages that were edited, deleted, refused, or accepted. A failed write is logged. */
import type { proto } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import { createKeyedMutex } from '../../../src/lib/keyed-mutex.ts'
import type { UnderWay } from '../../../src/lib/under-way.ts'
import type { Op } from '../../../src/storage/contract.ts'
import type { FacetContext } from './facets.ts'
import type { SentLimits } from './sent-limits.ts'
import type { SentRow, StoredMessage, sentRows } from './sent-rows.ts'

export interface SentChangesDeps extends Pick<FacetContext, 'store' | 'log'> {
  rows: ReturnType<typeof sentRows>
  limits: SentLimits
  stored(messageId: string): Promise<StoredMessage | undefined>
  writing: UnderWay
  isStopped(): boolean
}

export interface SentChanges {
  /**
   * Changes a stored message, so that a resend uses its current form. If `changed` returns undefined, the row stays
   * unchanged.
   */
  change(messageId: string, changed: (before: proto.IMessage) => proto.IMessage | undefined): Promise<void>
  /** Stores the number under which the network has accepted a channel post. */
  numbered(messageId: string, serverId: string): Promise<void>
  remove(messageId: string): Promise<void>
  /**
   * Runs `removal`, which removes all rows. A change that read its row before the removal does not write the row again.
   */
  whileForgetting(removal: () => Promise<void>): Promise<void>
}

export function createSentChanges({ store, log, rows, limits, stored, writing, isStopped }: SentChangesDeps): SentChanges {
  const { run: inTurn } = createKeyedMutex()
  /**
   * Number of ended removals of all rows, so that a change that began before a removal is not written after it.
   * `isForgetting`: a removal of all rows is running.
   */
  let forgotten = 0
  let isForgetting = false

  /** Writes a change that has already happened on the network, so a failure is only logged. */
  const write = (...ops: Op[]) =>
    writing.add(
      store.commit({ ops }).then(
        () => {},
        (error) => log.error({ err: error }, 'a sent message could not be changed or removed on disk'),
      ),
    )

  /**
   * Writes the row of a message with the changes that `changed` returns. If it returns undefined, the row stays
   * unchanged.
   */
  function rewrite(
    messageId: string,
    changed: (before: Required<StoredMessage>) => Partial<StoredMessage> | undefined,
    beside: (before: Required<StoredMessage>) => SentRow[] = () => [],
  ) {
    return inTurn(messageId, async () => {
      const since = forgotten
      const { message, stanza, at } = (await stored(messageId)) ?? {}
      const before = message && stanza && at !== undefined ? { message, stanza, at } : undefined
      const change = before && changed(before)
      if (!before || !change || isForgetting || since !== forgotten) return
      // If a stanza caused the change, this error leaves the stanza unconfirmed, so the network will deliver it again.
      if (isStopped()) throw new Failure('instance_not_connected')
      const more = beside(before)
      const written = [rows.message(messageId, { ...before, ...change }), ...more]
      const bytes = written.reduce((sum, [, value]) => sum + value.byteLength, 0)
      limits.added(more.length, bytes)
      await write(...written)
    })
  }

  return {
    change: (messageId, changed) =>
      rewrite(messageId, (before) => {
        const message = changed(before.message)
        return message && { message }
      }),
    numbered: (messageId, serverId) =>
      rewrite(
        messageId,
        ({ stanza }) => (stanza.serverId === serverId ? undefined : { stanza: { ...stanza, serverId } }),
        ({ stanza, at }) => [rows.post(stanza.to, serverId, at, messageId)],
      ),
    remove: (messageId) =>
      inTurn(messageId, async () => {
        if (!isStopped()) await write([rows.messageKey(messageId), null])
      }),
    async whileForgetting(removal) {
      isForgetting = true
      try {
        await removal()
      } finally {
        forgotten++
        isForgetting = false
      }
    },
  }
}
