/**
 * Stores sent messages for retry receipts ("Waiting for this message"), for about 24 h. A message is written before the
 * network call, so that the queue can send the same message again if the outcome is lost.
 */
import type { proto } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import { createUnderWay } from '../../../src/lib/under-way.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import type { KeyStore } from '../keys/key-store.ts'
import type { Stanza } from '../translate/outbound/stanza.ts'
import type { Authorship } from './authorship.ts'
import { FACETS, type FacetContext } from './facets.ts'
import type { Secrets } from './secrets.ts'
import { createSentChanges, type SentChanges } from './sent-changes.ts'
import { createSentLimits } from './sent-limits.ts'
import { type StoredMessage, sentRows, timeOf } from './sent-rows.ts'

export interface SentOptions {
  /**
   * Stores the secret that decrypts votes and answers, which is kept for longer than the message. The secret is written
   * with the message, because votes may arrive immediately.
   */
  secrets: Secrets
  authorship: Pick<Authorship, 'ownOps'>
  keys: Pick<KeyStore, 'alongside'>
  maxMessages?: number
  maxBytes?: number
}

export interface Sent extends Pick<SentChanges, 'change' | 'numbered' | 'remove'> {
  put(messageId: string, message: proto.IMessage, stanza: Stanza): Promise<void>
  /**
   * Adds the message to the commit of the keys that its encryption changes. Call the returned function when the send
   * has ended: it writes the message, unless a commit of keys has already included it.
   */
  putEncrypted(messageId: string, message: proto.IMessage, stanza: Stanza): () => Promise<void>
  get(messageId: string): Promise<proto.IMessage | undefined>
  stored(messageId: string): Promise<StoredMessage | undefined>
  /**
   * Returns the message id of a channel post, by the number that the network gave it. Later stanzas about the post may
   * contain only this number.
   */
  post(newsletter: string, serverId: string): Promise<string | undefined>
  forget(): Promise<void>
  /**
   * Sets the function that returns the message id of the queue item that is being sent. The row of this message is
   * kept, however old it is, because the item is sent again from it.
   */
  keepsUndecided(messageId: () => string | undefined): void
  stop(): Promise<void>
}

export function createSent({ id: instance, store, sealer, clock, log, retention }: FacetContext, options: SentOptions): Sent {
  const { secrets, authorship, maxMessages = FACETS.sent.rows, maxBytes = FACETS.sent.bytes } = options
  const rows = sentRows({ id: instance, sealer })
  let undecided: () => string | undefined = () => undefined
  const neededKey = () => rows.messageKey(undecided() ?? '')
  let isStopped = false
  const isOld = (at: number) => clock.now() - at > FACETS.sent.ms
  const limits = createSentLimits({
    store,
    clock,
    retention,
    prefixes: rows.prefixes,
    maxMessages,
    maxBytes,
    isOld,
    neededKey,
  })
  const writing = createUnderWay()

  function rowOf(messageId: string, message: proto.IMessage, stanza: Stanza): { ops: Op[]; size: number } {
    // A queued message is not lost: the queue sends it again after the next start.
    if (isStopped) throw new Failure('instance_not_connected')
    const row = rows.message(messageId, { message, stanza, at: clock.now() })
    const own = { id: messageId, remoteJid: stanza.to, fromMe: true }
    const known = [...secrets.ownOps({ key: own, message }), ...authorship.ownOps(messageId, stanza.to)]
    return { ops: [row, ...known], size: row[1].byteLength }
  }

  async function written(commit: () => Promise<unknown>, size: number) {
    await writing.add(commit())
    limits.added(1, size)
  }

  async function stored(messageId: string): Promise<StoredMessage | undefined> {
    const key = rows.messageKey(messageId)
    const value = await store.get(key)
    if (!value || (isOld(timeOf(value)) && key !== neededKey())) return undefined
    try {
      return rows.openMessage(key, value)
    } catch (error) {
      log.error(
        { err: error, message_id: messageId },
        'the stored copy of a sent message is damaged; it cannot be sent again if a recipient asks for it',
      )
      return undefined
    }
  }

  const changes = createSentChanges({ store, log, rows, limits, stored, writing, isStopped: () => isStopped })

  return {
    async put(messageId, message, stanza) {
      const { ops, size } = rowOf(messageId, message, stanza)
      await written(() => store.commit({ ops }), size)
    },
    putEncrypted(messageId, message, stanza) {
      const { ops, size } = rowOf(messageId, message, stanza)
      const settled = options.keys.alongside(ops)
      // A status for many people is sent in many stanzas, but has only one row. So the row is written only once.
      let isOver: Promise<void> | undefined
      return () => (isOver ??= written(settled, size))
    },
    get: async (messageId) => (await stored(messageId))?.message,
    stored,
    change: changes.change,
    numbered: changes.numbered,
    remove: changes.remove,
    async post(newsletter, serverId) {
      const key = rows.postKey(newsletter, serverId)
      const value = await store.get(key)
      if (!value || isOld(timeOf(value))) return undefined
      try {
        return rows.openPost(key, value)
      } catch (error) {
        log.error({ err: error }, 'the stored id of a channel post could not be decoded')
        return undefined
      }
    },
    async forget() {
      await changes.whileForgetting(async () => {
        await retention.idle()
        for (const prefix of rows.prefixes) await removeAll(store, prefix)
      })
      limits.cleared()
    },
    keepsUndecided(messageId) {
      undecided = messageId
    },
    async stop() {
      isStopped = true
      await writing.ended()
    },
  }
}
