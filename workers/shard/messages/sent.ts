/**
 * Stores sent messages, encrypted, for the recipients' retry receipts ("Waiting for this message"), so that they can be answered after a restart too:
 * for at most 24 h, and a limited number. They are written before the network call, so that an item with a lost outcome is sent again as the same
 * message (`send-again.ts`). For the same time, later edits and deletions, here or on the phone, can refer to them (`known-messages.ts`).
 */
import { BufferJSON, proto } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import { createKeyedMutex } from '../../../src/lib/keyed-mutex.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { REMOVED_AT_ONCE, removeAll } from '../../../src/storage/remove-all.ts'
import type { KeyStore } from '../keys/key-store.ts'
import type { Stanza } from '../translate/outbound/stanza.ts'
import type { Authorship } from './authorship.ts'
import { FACETS, type FacetContext } from './facets.ts'
import type { Secrets } from './secrets.ts'

/** Prune once the count exceeds the limit by this factor; the oldest are removed. */
const SLACK = 1.1
/** Length of the time of writing in epoch ms, which precedes the sealed protobuf so that the sweep need not decrypt the rows that it removes. */
const TIME_BYTES = 8

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

export interface StoredMessage {
  message: proto.IMessage
  /** Time at which the message was about to be sent, in epoch ms. */
  at: number
  /** Absent in rows of an older version. */
  stanza?: Stanza
}

export interface Sent {
  put(messageId: string, message: proto.IMessage, stanza: Stanza): Promise<void>
  /**
   * Stores a message that is about to be encrypted. It is written in the same commit as the keys that the encryption changes, and no ciphertext is
   * sent before this commit. Call the returned function when the send has ended.
   */
  putEncrypted(messageId: string, message: proto.IMessage, stanza: Stanza): () => Promise<void>
  get(messageId: string): Promise<proto.IMessage | undefined>
  /** Returns the message with the stanza of its first send. */
  stored(messageId: string): Promise<StoredMessage | undefined>
  /**
   * Changes a message that was edited or deleted: a resend uses its current form, and a deleted one is not sent at all. If `changed` returns
   * undefined, the row stays unchanged. Failed writes are logged.
   */
  change(messageId: string, changed: (before: proto.IMessage) => proto.IMessage | undefined): Promise<void>
  /** Stores the number under which the network has accepted a channel post. Failed writes are logged. */
  numbered(messageId: string, serverId: string): Promise<void>
  /**
   * Returns the id of a post of ours by the number that the network gave it, because later stanzas about the post only
   * have this number.
   */
  post(newsletter: string, serverId: string): Promise<string | undefined>
  /** Removes a message that was refused. Failed writes are logged; the row then expires. */
  remove(messageId: string): Promise<void>
  /** Called after the device was unlinked and its session has ended: no retry receipts arrive for it. */
  forget(): Promise<void>
  /**
   * Takes a function that gives the message id of the queue's item in flight: its row is kept, because the item is sent again from it, however long
   * the connection was lost.
   */
  keepsUndecided(messageId: () => string | undefined): void
  /** Stops the store: after this resolves, nothing more is written. */
  stop(): Promise<void>
}

export function createSent({ id: instance, store, sealer, clock, log, retention }: FacetContext, options: SentOptions): Sent {
  const { secrets, authorship, maxMessages = FACETS.sent.rows, maxBytes = FACETS.sent.bytes } = options
  const prefixes = [keys.sents(instance), keys.sentPosts(instance)]
  let undecided: () => string | undefined = () => undefined
  /** Key of the row that is kept, however old it is. */
  const neededKey = () => keys.sent(instance, undecided() ?? '')
  let isStopped = false
  /** Number of rows and bytes in the last sweep, plus those written since then. This is an upper bound. */
  let count = 0
  let bytes = 0
  const sweepSoon = retention.covers(sweep, 'expired sent messages could not be removed')
  const writing = new Set<Promise<unknown>>()
  /** Serialises the changes of one row, because each one applies to the result of the previous one. */
  const { run: inTurn } = createKeyedMutex()
  /** Number of removals of all rows, and whether one is running. Data that was read before a removal must not be written after it. */
  let forgotten = 0
  let isForgetting = false

  const timeOf = (value: Uint8Array) => Number(Buffer.from(value.buffer, value.byteOffset, TIME_BYTES).readBigUInt64BE())
  const isOld = (at: number) => clock.now() - at > FACETS.sent.ms

  async function sweep(isOver: () => boolean) {
    const found: { key: string; at: number; size: number }[] = []
    count = 0
    bytes = 0
    for (const prefix of prefixes)
      for await (const [key, value] of store.range(prefix))
        found.push({ key, at: Math.min(timeOf(value), clock.now()), size: value.byteLength })
    found.sort((a, b) => b.at - a.at)
    const needed = neededKey()
    let kept = 0
    const gone = found.filter(({ key, at, size }, index) => {
      const isKept = key === needed || (!isOld(at) && index < maxMessages && kept + size <= maxBytes)
      if (isKept) kept += size
      return !isKept
    })
    count += found.length - gone.length
    bytes += kept
    for (let from = 0; from < gone.length && !isOver(); from += REMOVED_AT_ONCE)
      await store.commit({ ops: gone.slice(from, from + REMOVED_AT_ONCE).map(({ key }): Op => [key, null]) })
  }

  function sealed(key: string, at: number, content: Uint8Array) {
    const time = Buffer.alloc(TIME_BYTES)
    time.writeBigUInt64BE(BigInt(at))
    return { key, value: Buffer.concat([time, sealer.seal(key, content)]) }
  }

  const row = (messageId: string, { message, stanza, at }: Required<StoredMessage>) =>
    sealed(keys.sent(instance, messageId), at, packed(message, stanza))

  const postKey = (newsletter: string, serverId: string) =>
    keys.sentPost(instance, sealer.blind(`post ${serverId} ${newsletter}`))

  function rowOf(messageId: string, message: proto.IMessage, stanza: Stanza): { ops: Op[]; size: number } {
    // The message is not stored, because the queue sends the item again after the next start.
    if (isStopped) throw new Failure('instance_not_connected')
    const { key, value } = row(messageId, { message, stanza, at: clock.now() })
    const own = { id: messageId, remoteJid: stanza.to, fromMe: true }
    const known = [...secrets.ownOps({ key: own, message }), ...authorship.ownOps(messageId, stanza.to)]
    return { ops: [[key, value], ...known], size: value.byteLength }
  }

  async function written(commit: () => Promise<unknown>, size: number) {
    const under = commit()
    writing.add(under)
    try {
      await under
    } finally {
      writing.delete(under)
    }
    count++
    bytes += size
    if (count > maxMessages * SLACK || bytes > maxBytes * SLACK) sweepSoon()
  }

  /** Commits a change that is not essential: the message has been edited or deleted even if this is not written. */
  async function corrected(...ops: Op[]) {
    const under = store.commit({ ops })
    writing.add(under)
    await under
      .catch((error) => log.error({ err: error }, 'a sent message could not be changed or removed on disk'))
      .finally(() => writing.delete(under))
  }

  async function stored(messageId: string): Promise<StoredMessage | undefined> {
    const key = keys.sent(instance, messageId)
    const value = await store.get(key)
    if (!value || (isOld(timeOf(value)) && key !== neededKey())) return undefined
    try {
      return { ...unpacked(sealer.open(key, value.subarray(TIME_BYTES))), at: timeOf(value) }
    } catch (error) {
      // The record was changed on disk; the message cannot be sent again.
      log.error(
        { err: error, message_id: messageId },
        'the stored copy of a sent message is damaged; it cannot be sent again if a recipient asks for it',
      )
      return undefined
    }
  }

  /** Rewrites a row. If the function returns undefined, the row stays unchanged. */
  function rewrite(
    messageId: string,
    changed: (before: Required<StoredMessage>) => Partial<StoredMessage> | undefined,
    beside?: (before: Required<StoredMessage>) => ReturnType<typeof sealed>,
  ) {
    return inTurn(messageId, async () => {
      const since = forgotten
      const { message, stanza, at } = (await stored(messageId)) ?? {}
      const before = message && stanza && at !== undefined ? { message, stanza, at } : undefined
      const change = before && changed(before)
      if (!before || !change || isForgetting || since !== forgotten) return
      // The network will deliver the stanza with this change again.
      if (isStopped) throw new Failure('instance_not_connected')
      const rows = [row(messageId, { ...before, ...change }), ...(beside ? [beside(before)] : [])]
      for (const { value } of rows) bytes += value.byteLength
      count += rows.length - 1
      await corrected(...rows.map(({ key, value }): Op => [key, value]))
    })
  }

  return {
    async put(messageId, message, stanza) {
      const { ops, size } = rowOf(messageId, message, stanza)
      await written(() => store.commit({ ops }), size)
    },
    putEncrypted(messageId, message, stanza) {
      const { ops, size } = rowOf(messageId, message, stanza)
      const settled = options.keys.alongside(ops)
      // A status for many people consists of many stanzas, but has only one row.
      let isOver: Promise<void> | undefined
      return () => (isOver ??= written(settled, size))
    },
    get: async (messageId) => (await stored(messageId))?.message,
    stored,
    change: (messageId, changed) =>
      rewrite(messageId, (before) => {
        const message = changed(before.message)
        return message && { message }
      }),
    numbered: (messageId, serverId) =>
      rewrite(
        messageId,
        ({ stanza }) => (stanza.serverId === serverId ? undefined : { stanza: { ...stanza, serverId } }),
        ({ stanza, at }) => sealed(postKey(stanza.to, serverId), at, Buffer.from(messageId)),
      ),
    async post(newsletter, serverId) {
      const key = postKey(newsletter, serverId)
      const value = await store.get(key)
      if (!value || isOld(timeOf(value))) return undefined
      try {
        return Buffer.from(sealer.open(key, value.subarray(TIME_BYTES))).toString()
      } catch (error) {
        log.error({ err: error }, 'the stored id of a channel post could not be decoded')
        return undefined
      }
    },
    remove: (messageId) =>
      inTurn(messageId, async () => {
        if (!isStopped) await corrected([keys.sent(instance, messageId), null])
      }),
    async forget() {
      isForgetting = true
      try {
        await retention.idle()
        for (const prefix of prefixes) await removeAll(store, prefix)
      } finally {
        forgotten++
        isForgetting = false
      }
      count = 0
      bytes = 0
    },
    keepsUndecided(messageId) {
      undecided = messageId
    },
    async stop() {
      isStopped = true
      await Promise.allSettled([...writing])
    },
  }
}

/**
 * First byte of a row that contains a stanza. Such a row consists of this byte, the length of the stanza's JSON in four bytes, the JSON, and the
 * message. Older rows only have the message, and no protobuf begins with a byte below 8, because that would be field 0.
 */
const WITH_STANZA = 1
const STANZA_AT = 5

function packed(message: proto.IMessage, stanza: Stanza): Uint8Array {
  const json = Buffer.from(JSON.stringify(stanza, BufferJSON.replacer))
  const head = Buffer.alloc(STANZA_AT)
  head[0] = WITH_STANZA
  head.writeUInt32BE(json.byteLength, 1)
  return Buffer.concat([head, json, proto.Message.encode(message).finish()])
}

function unpacked(bytes: Uint8Array): Omit<StoredMessage, 'at'> {
  const row = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (row[0] !== WITH_STANZA) return { message: proto.Message.decode(row) }
  const end = STANZA_AT + row.readUInt32BE(1)
  const stanza = JSON.parse(row.toString('utf8', STANZA_AT, end), BufferJSON.reviver) as Stanza
  return { message: proto.Message.decode(row.subarray(end)), stanza }
}
