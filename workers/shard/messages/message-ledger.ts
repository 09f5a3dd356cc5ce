/**
 * Combines the modules of this folder, which keep data about messages. The rows of a received message are written in
 * the commit of its event, so this module only returns their operations. Sent messages are stored before they are sent.
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
  recentTotal: RecentTotal
}

export interface MessageLedger extends KnownMessages, Pick<Authorship, 'claim' | 'isOwn'> {
  readonly sent: Sent
  readonly levels: ReceiptLevels
  readonly timeline: MessageTimeline
  /**
   * Marks of processed messages. `forget` does not remove them: they are removed after the last commit of the inbox.
   */
  readonly seen: Marks

  /**
   * Returns the operations for the commit of a received message. The reads are begun together, so that the store can
   * combine them.
   */
  arrivalOps(message: WAMessage): Promise<Op[]>
  authorOps(key: WAMessageKey): Promise<Op[]>
  remember: Recent['add']
  /**
   * Finds the message to which `about` refers. `chat` returns every jid of the chat. After a restart, only our own
   * messages of the last day are found in full.
   */
  original(id: string, about: WAMessageKey, chat: () => Promise<ReadonlySet<string>>): Promise<KnownMessage | null>
  /** Returns the key of a channel post, by the number that the network gave it. */
  post(newsletter: string, serverId: string): Promise<WAMessageKey | null>

  newest: Recent['newest']

  heldBytes(): number

  load(): Promise<void>
  /**
   * Begins the removal of old rows. `undecided` returns the id of the message that is being sent, whose row is kept.
   */
  start(undecided: () => string | undefined): void
  forget(): Promise<void>
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
