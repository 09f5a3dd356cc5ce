/**
 * Sent messages, kept encrypted for the recipients' retry receipts ("Waiting for this message"), so that they can be answered after a
 * restart too: at most 24 h, and a bounded number. Written before the network call, so that an item whose outcome got lost leaves again as
 * the message it was (`send-again.ts`). What is done to them later, here or on the phone, may refer to them as long (`retry/known-messages.ts`).
 */
import { BufferJSON, proto } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, DAY, HOUR } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { createKeyedMutex } from '../../../src/lib/keyed-mutex.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { REMOVED_AT_ONCE, removeAll } from '../../../src/storage/remove-all.ts'
import type { Sealer } from '../../../src/storage/seal.ts'
import { createSweeper } from '../../../src/storage/sweeper.ts'
import type { Authorship } from '../chats/authorship.ts'
import type { Secrets } from '../chats/secrets.ts'
import type { KeyStore } from '../keys/key-store.ts'
import type { Stanza } from '../translate/outbound/stanza.ts'

const MAX_AGE = DAY
const SWEEP_EVERY = HOUR
/** The newest are kept: a retry comes within seconds of a device being online. */
const MAX_MESSAGES = 10_000
const MAX_BYTES = 64 * 1_024 * 1_024
/** Looked through again when there are this much more than the most: then the oldest go. */
const SLACK = 1.1
/** Time of writing, epoch ms, before the sealed protobuf: the sweep need not open what it removes. */
const TIME_BYTES = 8

export interface SentOptions {
  instance: string
  store: StateStore
  sealer: Sealer
  clock: Clock
  log: Pick<Logger, 'error'>
  /** The secret that opens later votes and answers is kept longer, and written with the message because they may come at once. */
  secrets: Secrets
  /** The record that it is ours, and in which chat, is kept longer still. */
  authorship: Pick<Authorship, 'ownOps'>
  keys: Pick<KeyStore, 'alongside'>
  /** Message id of the queue's item in flight: it leaves again as it is stored, however long the connection was away. */
  undecided?: () => string | undefined
  maxMessages?: number
  maxBytes?: number
}

export interface StoredMessage {
  message: proto.IMessage
  /** When it was about to leave, epoch ms. */
  at: number
  /** Absent in a row of a version that did not keep it. */
  stanza?: Stanza
}

export interface Sent {
  put(messageId: string, message: proto.IMessage, stanza: Stanza): Promise<void>
  /**
   * The same for what is about to be encrypted: it is in the commit of the keys the ciphertext leaves behind, without which no ciphertext
   * leaves. Call what it returns when the send is over.
   */
  putEncrypted(messageId: string, message: proto.IMessage, stanza: Stanza): () => Promise<void>
  get(messageId: string): Promise<proto.IMessage | undefined>
  /** With the stanza it left in. */
  stored(messageId: string): Promise<StoredMessage | undefined>
  /**
   * It was edited, or deleted: what is asked for again is as it is now, and a deleted one is not sent at all. Undefined: it stays as it is. What the
   * disk does not take is logged.
   */
  change(messageId: string, changed: (before: proto.IMessage) => proto.IMessage | undefined): Promise<void>
  /** The network has accepted the post of a channel under this number. What the disk does not take is logged. */
  numbered(messageId: string, serverId: string): Promise<void>
  /** Id of an own post by the number that the network gave it: what happens to a post names no other. */
  post(newsletter: string, serverId: string): Promise<string | undefined>
  /** It was refused. What the disk does not take is logged: its row goes with its day. */
  remove(messageId: string): Promise<void>
  /** The device is gone: no retry receipts come for it. Call it after its session has ended. */
  forget(): Promise<void>
  start(): void
  /** When it resolves nothing is written any more. */
  stop(): Promise<void>
}

export function createSent(options: SentOptions): Sent {
  const { instance, store, sealer, clock, log, secrets, authorship, maxMessages = MAX_MESSAGES, maxBytes = MAX_BYTES } = options
  const prefixes = [keys.sents(instance), keys.sentPosts(instance)]
  const undecided = () => keys.sent(instance, options.undecided?.() ?? '')
  let isStopped = false
  /** Stored rows and bytes, as of the last sweep and what was written since: an upper bound. */
  let count = 0
  let bytes = 0
  const sweeper = createSweeper(sweep, {
    everyMs: SWEEP_EVERY,
    log,
    complaint: 'expired sent messages could not be removed',
  })
  const writing = new Set<Promise<unknown>>()
  /** Changes of one row: each is made to what the one before has left. */
  const { run: inTurn } = createKeyedMutex()
  /** How often everything was forgotten, and whether it is being: what was read before must not be written behind it. */
  let forgotten = 0
  let isForgetting = false

  const timeOf = (value: Uint8Array) => Number(Buffer.from(value.buffer, value.byteOffset, TIME_BYTES).readBigUInt64BE())
  const isOld = (at: number) => clock.now() - at > MAX_AGE

  async function sweep(isOver: () => boolean) {
    const found: { key: string; at: number; size: number }[] = []
    count = 0
    bytes = 0
    for (const prefix of prefixes)
      for await (const [key, value] of store.range(prefix))
        found.push({ key, at: Math.min(timeOf(value), clock.now()), size: value.byteLength })
    found.sort((a, b) => b.at - a.at)
    const needed = undecided()
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
    // The item is sent after the next start.
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
    if (count > maxMessages * SLACK || bytes > maxBytes * SLACK) sweeper.soon()
  }

  /** Of what is not vital: the message is edited or gone whether this is written or not. */
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
    if (!value || (isOld(timeOf(value)) && key !== undecided())) return undefined
    try {
      return { ...unpacked(sealer.open(key, value.subarray(TIME_BYTES))), at: timeOf(value) }
    } catch (error) {
      // Changed on disk: it cannot be sent again.
      log.error({ err: error, message_id: messageId }, 'a stored sent message could not be decoded')
      return undefined
    }
  }

  /** Undefined: the row stays as it is. */
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
      // What changes it comes again.
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
      // A status to many is many stanzas, and one row.
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
        log.error({ err: error }, 'the number of a channel post is not readable')
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
        await sweeper.idle()
        for (const prefix of prefixes) await removeAll(store, prefix)
      } finally {
        forgotten++
        isForgetting = false
      }
      count = 0
      bytes = 0
    },
    start: sweeper.start,
    async stop() {
      isStopped = true
      await Promise.allSettled([...writing, sweeper.stop()])
    },
  }
}

/**
 * First byte of a row with its stanza: that byte, the length of the stanza's JSON in four bytes, the JSON, the message. Older rows are
 * a message and nothing else, and no protobuf begins with a byte below 8: it would be field 0.
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
