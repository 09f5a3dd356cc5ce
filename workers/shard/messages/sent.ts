/**
 * Stores sent messages, encrypted, for the recipients' retry receipts ("Waiting for this message"), so that these can be answered after a restart
 * too. They are kept for at most 24 h, and their number is limited. They are written before the network call, so that if the outcome of a send is
 * lost, the queue can send the same message again (`send-again.ts`). For the same time, later edits and deletions, here or on the phone, can refer to
 * them (`known-messages.ts`).
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
   * The secret that decrypts later votes and answers is kept for longer than the message. It is written with the message, because votes and answers
   * may arrive immediately.
   */
  secrets: Secrets
  /** The record of the author and the chat, which is kept for even longer than the secret. */
  authorship: Pick<Authorship, 'ownOps'>
  keys: Pick<KeyStore, 'alongside'>
  maxMessages?: number
  maxBytes?: number
}

export interface Sent extends Pick<SentChanges, 'change' | 'numbered' | 'remove'> {
  put(messageId: string, message: proto.IMessage, stanza: Stanza): Promise<void>
  /**
   * Stores a message that is about to be encrypted. It is written in the same commit as the keys that the encryption changes, and no ciphertext is
   * sent before this commit. Call the returned function when the send has ended.
   */
  putEncrypted(messageId: string, message: proto.IMessage, stanza: Stanza): () => Promise<void>
  get(messageId: string): Promise<proto.IMessage | undefined>
  /** Returns the message with the stanza of its first send. */
  stored(messageId: string): Promise<StoredMessage | undefined>
  /** Returns the id of one of our channel posts, by the number that the network gave it. Later stanzas about the post only have this number. */
  post(newsletter: string, serverId: string): Promise<string | undefined>
  /** Removes all messages. Called after the device was unlinked and its session has ended, because retry receipts no longer arrive for it. */
  forget(): Promise<void>
  /**
   * Registers a function that returns the message id of the queue item that is being sent. The row of this message is kept, however long the
   * connection was lost, because the item is sent again from it.
   */
  keepsUndecided(messageId: () => string | undefined): void
  /** Stops the store: after this resolves, nothing more is written. */
  stop(): Promise<void>
}

export function createSent({ id: instance, store, sealer, clock, log, retention }: FacetContext, options: SentOptions): Sent {
  const { secrets, authorship, maxMessages = FACETS.sent.rows, maxBytes = FACETS.sent.bytes } = options
  const rows = sentRows({ id: instance, sealer })
  let undecided: () => string | undefined = () => undefined
  /** Returns the key of the row that is kept, however old it is. */
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
    // The instance has stopped. The message is not stored, because the queue sends the item again after the next start.
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
      // The record is damaged, so the message cannot be sent again.
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
      // A status for many people is sent in many stanzas, and the function may be called after each of them, but the status has only one row.
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
