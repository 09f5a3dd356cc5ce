/**
 * The message ledger owns all data that the service keeps about messages. Each facet (kind of data) has a file of its own, and the time for which it
 * is kept is in `facets.ts`. One retention task removes the rows of all facets. Rows are written in the commit of their message, so the ledger
 * returns the operations for this commit, and never commits a new message itself.
 */
import type { WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import type { Op } from '../../../src/storage/contract.ts'
import { createRetention } from '../../../src/storage/retention.ts'
import type { Context } from '../context/instance-context.ts'
import type { KeyStore } from '../keys/key-store.ts'
import type { KnownMessage } from '../translate/inbound/family.ts'
import { bare } from '../wire/jid.ts'
import { type Authorship, createAuthorship } from './authorship.ts'
import { createKnownMessages, isDeleted, type KnownMessages } from './known-messages.ts'
import { createMessageTimeline, type MessageTimeline } from './message-timeline.ts'
import { createReceiptLevels, type ReceiptLevels } from './receipt-levels.ts'
import { createRecent, type Recent, type RecentTotal } from './recent.ts'
import { createSecrets } from './secrets.ts'
import { createSeenMarks, type Marks } from './seen-marks.ts'
import { createSent, type Sent } from './sent.ts'

export interface MessageLedgerDeps {
  keys: Pick<KeyStore, 'alongside'>
  /** Number of messages that all instances of the shard keep in memory. */
  recentTotal: RecentTotal
}

export interface MessageLedger extends KnownMessages, Pick<Authorship, 'claim' | 'isOwn'> {
  readonly sent: Sent
  readonly levels: ReceiptLevels
  readonly timeline: MessageTimeline
  /** Seen marks (`seen-marks.ts`). The inbox removes them after its last commit. */
  readonly seen: Marks

  /** Returns the operations for the commit of a received message. Their reads are begun in one turn, so that the store can answer them together. */
  arrivalOps(message: WAMessage): Promise<Op[]>
  /** Returns the operations for the commit of a received message whose content is not known: only its author is stored. */
  authorOps(key: WAMessageKey): Promise<Op[]>
  /** Adds a received message that is being committed, because later messages may refer to it. */
  remember: Recent['add']
  /**
   * Finds the message to which the message `about` refers, with the parts that are needed to translate `about`. `chat` returns every jid of the chat.
   * After a restart, only our own messages of the last day are found in full. Of other messages only the secrets are left, with which later edits,
   * votes and answers are decrypted.
   */
  original(id: string, about: WAMessageKey, chat: () => Promise<ReadonlySet<string>>): Promise<KnownMessage | null>
  /** Returns the key of a channel post, by the number that the network gave it. */
  post(newsletter: string, serverId: string): Promise<WAMessageKey | null>

  /** Returns the newest messages in memory for whose key a given function returns true, newest first. */
  newest: Recent['newest']

  /** Returns the size of the messages in memory, in bytes. */
  heldBytes(): number

  /** Reads the stored facets. Must finish before any message is received or sent. */
  load(): Promise<void>
  /**
   * Starts the retention. `undecided` returns the message id of the queue item that is being sent; the row of this message is kept, however old it
   * is.
   */
  start(undecided: () => string | undefined): void
  /** Removes what the next account must not see. Called after the device was unlinked and its session has ended. */
  forget(): Promise<void>
  /** Stops the ledger: after this resolves, nothing more is written. */
  stop(): Promise<void>
}

export function createMessageLedger(
  context: Context<'id' | 'store' | 'sealer' | 'clock' | 'log'>,
  { keys, recentTotal }: MessageLedgerDeps,
): MessageLedger {
  const retention = createRetention(context.log)
  const facets = { ...context, retention }
  const recent = createRecent({ total: recentTotal })
  const authorship = createAuthorship(facets)
  const secrets = createSecrets(facets)
  const sent = createSent(facets, { secrets, authorship, keys })
  const levels = createReceiptLevels(facets)
  const timeline = createMessageTimeline(facets)
  const seen = createSeenMarks(context.id, context.store, context.sealer)

  async function stored(id: string, chat: ReadonlySet<string>): Promise<KnownMessage | null> {
    const own = await sent.stored(id)
    if (!own || isDeleted({ key: { id }, message: own.message })) return secrets.get(id, chat)
    const isHere = own.stanza === undefined || chat.has(bare(own.stanza.to))
    return isHere ? { key: { id, fromMe: true }, message: own.message } : null
  }

  return {
    ...createKnownMessages({ recent, sent }),
    sent,
    levels,
    timeline,
    seen,
    claim: authorship.claim,
    isOwn: authorship.isOwn,
    authorOps: authorship.ops,
    async arrivalOps(message) {
      const ops = await Promise.all([authorship.ops(message.key), secrets.opsUnlessTaken(message)])
      return ops.flat()
    },
    remember: recent.add,
    async original(id, about, chat) {
      const known = recent.spokenOf(id, about)
      return known && !isDeleted(known) ? { key: known.key, message: known.message ?? {} } : stored(id, await chat())
    },
    async post(newsletter, serverId) {
      const known = recent.post(newsletter, serverId)
      if (known) return known
      const id = await sent.post(newsletter, serverId)
      return id === undefined ? null : { remoteJid: newsletter, id, fromMe: true, server_id: serverId }
    },
    newest: recent.newest,
    heldBytes: () => recent.bytes,
    async load() {
      await Promise.all([authorship.load(), secrets.load(), seen.load()])
    },
    start(undecided) {
      sent.keepsUndecided(undecided)
      retention.start()
    },
    async forget() {
      recent.clear()
      await Promise.all([authorship.forget(), secrets.forget(), sent.forget()])
    },
    async stop() {
      recent.end()
      await Promise.all([sent.stop(), retention.stop()])
    },
  }
}
