/**
 * Inbound without loss: when the last part of a stanza is decrypted, ONE commit stores the advanced key, the finished event in the
 * outbox, and marks of what is done; only then is the plaintext returned, and only after that can the library confirm the stanza to
 * the network. A kill or a cut at any point leaves the stanza to be redelivered or its event in the outbox. Design, windows and the
 * library's behaviours it leans on: shared/design/INBOUND.md.
 */
import {
  areJidsSameUser,
  type BinaryNode,
  decodeMessageNode,
  MISSING_KEYS_ERROR_TEXT,
  proto,
  unpadRandomMax16,
  type WAMessage,
  type WAMessageKey,
  type WASocket,
} from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Clock } from '../../src/domain/clock.ts'
import type { DomainEvent } from '../../src/domain/events.ts'
import type { Op, StateStore } from '../../src/storage/contract.ts'
import type { Sealer } from '../../src/storage/seal.ts'
import { type ChatOrder, createChatOrder, type Entry } from './chat-order.ts'
import { createJournal, type JournalRecord, nodeText, parts } from './journal.ts'
import type { KeyChange, KeyStore } from './key-store.ts'
import { ciphertextMark, createMarks, type Mark, messageMark, messageMarks } from './marks.ts'
import { SESSION_CLOSED, SignalError } from './signal/errors.ts'
import type { Inbox as SignalInbox } from './signal/inbox-seam.ts'
import type { ReadableMessage } from './translate/inbound/message.ts'
import { bare } from './translate/jid.ts'
import { createTries } from './tries.ts'
import { unknownField } from './unknown-content.ts'

export interface InboxDeps {
  instance: string
  store: StateStore
  sealer: Sealer
  keys: KeyStore
  clock: Clock
  log: Logger
  /** The finished event of a message, or null when it is not to be reported. */
  translate(message: WAMessage): Promise<DomainEvent | null>
  /** What else belongs into the commit of a readable message: it is not waited for any more. Call `applied` after the commit. */
  arrived(key: WAMessageKey): { ops: Op[]; applied(): void }
  /** What else is kept of a new message, for its commit. */
  alongside(message: WAMessage): Promise<readonly Op[]>
  /** A message that cannot be read, before the library answers for it: a ciphertext that does not open, or a stanza without any. */
  unreadable(key: WAMessageKey, node: BinaryNode): void
  /** What the own phone says to its devices alone, after the library took it. What comes of it is on disk when it resolves. */
  peer(message: proto.IMessage): Promise<void>
  outbox: { append(event: DomainEvent): { eventId: string; ops: Op[] }; committed(eventId: string): void }
  /** Called with every readable message after its commit: recent cache, counters. */
  onMessage(message: WAMessage): void
  killAt(step: string): void
}

/** The inbox belongs to the instance and outlives sockets; each socket gets a session of it, which is fenced when the socket ends. */
export interface InstanceInbox {
  load(): Promise<void>
  /** The device is gone: what was sent to it is neither delivered again nor answered. After its session has ended. */
  forget(): Promise<void>
  session(): InboxSession
  /**
   * What was never a ciphertext: commits what `make` tells, once per mark, with `more`. What tells nothing is not marked. `others`: marks of
   * the same thing under other names.
   */
  once(mark: Mark, make: () => Promise<readonly DomainEvent[]>, more?: readonly Op[], others?: readonly Mark[]): Promise<void>
}

export interface InboxSession {
  readonly signal: SignalInbox
  attach(sock: WASocket, whenSaved: () => Promise<void>): void
  /** Refuse decrypts from now on: queued handlers of an ended socket still run, and what they open would be confirmed to nobody. */
  fence(): void
  /** A stanza of another kind has come that tells something of a chat. */
  enter: ChatOrder['enter']
}

/** Padding only: the library decodes it to an empty message, confirms it normally and reports nothing. */
const EMPTY = Uint8Array.of(1)

type ReadableStanza = WAMessage & Pick<ReadableMessage, 'unknownField'>

interface Stanza {
  node: BinaryNode
  id: string
  opened: Map<number, Uint8Array>
  count: number
  isPeer: boolean
  /** Its place among what happens in its chat. */
  entry: Entry
}

export function createInbox(deps: InboxDeps): InstanceInbox {
  const { instance, store, keys, outbox, log } = deps
  const marks = createMarks(instance, store)
  const journal = createJournal({ instance, store, sealer: deps.sealer, clock: deps.clock, log })

  function session(): InboxSession {
    const stanzas = new WeakMap<Uint8Array, { stanza: Stanza; index: number }>()
    let isFenced = false
    let sock: WASocket | undefined
    let whenSaved: () => Promise<void> = async () => {}
    const order = createChatOrder(() => deps.clock.now())

    function see(node: BinaryNode) {
      const ciphertexts = parts(node)
      const stanza: Stanza = {
        node,
        id: messageMark({ id: node.attrs.id ?? '', chat: node.attrs.from ?? '', author: node.attrs.participant ?? '' }),
        opened: new Map(),
        count: ciphertexts.length,
        isPeer: node.attrs.category === 'peer' && isOwn(node.attrs.from),
        entry: order.enter(node.attrs.from ?? ''),
      }
      if (ciphertexts.length === 0) stanza.entry.done()
      for (const [index, ciphertext] of ciphertexts.entries()) stanzas.set(ciphertext, { stanza, index })
      if (isEmptyHanded(node)) tellUnreadable(node)
    }

    /** Only the account's own devices speak as peers; the same word from anybody else is an ordinary message. */
    function isOwn(jid: string | undefined): boolean {
      const { me } = sock?.authState.creds ?? {}
      return jid !== undefined && me !== undefined && (areJidsSameUser(jid, me.id) || areJidsSameUser(jid, me.lid))
    }

    const isLast = (stanza: Stanza, index: number) => index === stanza.count - 1

    /** The message a stanza's opened parts make together, as the library will make it. */
    function readable(stanza: Stanza): ReadableStanza {
      const message = addressed(stanza.node)
      const plaintexts = [...stanza.opened].sort(([a], [b]) => a - b).map(([, padded]) => unpadRandomMax16(padded))
      const content: proto.IMessage = Object.assign({}, ...plaintexts.map(decode))
      return { ...message, message: content, unknownField: unknownField(content, plaintexts) } as ReadableStanza
    }

    function readableOrNull(stanza: Stanza): ReadableStanza | null {
      try {
        return readable(stanza)
      } catch (error) {
        log.warn({ err: error, stanza: stanza.node.attrs.id }, 'what was opened is not a message')
        return null
      }
    }

    /**
     * The stanza without its content, jids without device. The library's `cleanMessage` also turns the keys inside reactions and votes
     * round, and throws where a stranger left them out: translation does that itself (`referenced.ts`).
     */
    function addressed(node: BinaryNode): WAMessage {
      const { me } = sock!.authState.creds
      const { fullMessage } = decodeMessageNode(node, me?.id ?? '', me?.lid ?? '')
      const { key } = fullMessage
      if (key.remoteJid) key.remoteJid = bare(key.remoteJid)
      if (key.participant) key.participant = bare(key.participant)
      return fullMessage
    }

    function tellUnreadable(node: BinaryNode) {
      try {
        const { key } = addressed(node)
        if (!messageMarks(key).some(marks.has)) deps.unreadable(key, node)
      } catch (error) {
        // A stanza without a chat or an id is nobody's message.
        log.warn({ err: error, stanza: node.attrs.id }, 'a stanza of a message is not one')
      }
    }

    async function finish(stanza: Stanza, done: Mark[], changes: readonly KeyChange[]) {
      await stanza.entry.turn()
      const message = readableOrNull(stanza)
      if (!message) {
        // It opened, and what is in it is no message. It is used up; the library asks for it again, once more from the beginning.
        tellUnreadable(stanza.node)
        await commit(changes, [...marks.ops(done), ...(journal.has(stanza.id) ? [journal.remove(stanza.id)] : [])])
        marks.applied(done)
        journal.applied(stanza.id, null)
        return
      }
      const own = messageMarks(message.key)
      const isNew = !own.some(marks.has)
      const event = isNew && !stanza.isPeer ? await deps.translate(message) : null
      const appended = event ? outbox.append(event) : null
      const hasContent = Object.keys(message.message ?? {}).length > 0 || message.unknownField != null
      const marked = hasContent ? [...done, ...own] : done
      const alongside = isNew && !stanza.isPeer ? await deps.alongside(message) : []
      const waited = hasContent ? deps.arrived(message.key) : null
      await commit(changes, [
        ...marks.ops(marked),
        ...(appended?.ops ?? []),
        ...(waited?.ops ?? []),
        ...alongside,
        ...(journal.has(stanza.id) ? [journal.remove(stanza.id)] : []),
      ])
      marks.applied(marked)
      journal.applied(stanza.id, null)
      waited?.applied()
      if (appended) outbox.committed(appended.eventId)
      if (isNew && hasContent && !stanza.isPeer) deps.onMessage(message)
      void afterHandler(async () => deps.killAt('inbox:after-receipt'))
      // The message is done: what goes wrong from here on must not make the library ask for it again.
      await rotateMarks()
    }

    async function hold(stanza: Stanza, changes: readonly KeyChange[]) {
      const record: JournalRecord = {
        node: nodeText(stanza.node),
        parts: Object.fromEntries(
          [...stanza.opened].map(([index, plaintext]) => [index, Buffer.from(plaintext).toString('base64')]),
        ),
        isPeer: stanza.isPeer,
        attempts: 0,
        at: deps.clock.now(),
      }
      await commit(changes, [journal.put(stanza.id, record)])
      journal.applied(stanza.id, record)
    }

    async function commit(changes: readonly KeyChange[], ops: Op[]) {
      deps.killAt('inbox:before-commit')
      try {
        await store.commit({ ops: [...keys.ops(changes), ...ops] })
      } catch (cause) {
        // Answering now would make the library ask for a retry and use the message up: without the connection it is redelivered.
        cut()
        throw new Error('the inbox could not be written', { cause })
      }
      keys.applied(changes)
      deps.killAt('inbox:after-commit')
    }

    function cut() {
      isFenced = true
      const raw = (sock?.ws as unknown as { socket?: { terminate(): void } | null } | undefined)?.socket
      raw?.terminate()
    }

    /** Handlers of messages run one at a time: what waits in their line runs when the present one has sent its receipt and is done. */
    const afterHandler = (work: () => Promise<void>) => sock!.messageMutex.mutex(work)

    /** A peer message is settled when the library's handler has taken its effect, and what that changed is on disk. */
    function settleLater(stanza: Stanza) {
      const done = parts(stanza.node).map(ciphertextMark)
      afterHandler(async () => {
        await whenSaved()
        deps.killAt('inbox:peer-confirmed')
        await deps.peer(readableOrNull(stanza)?.message ?? {})
        await commit([], [...marks.ops(done), journal.remove(stanza.id)])
        marks.applied(done)
        journal.applied(stanza.id, null)
        deps.killAt('inbox:peer-settled')
      }).catch((error) => {
        log.warn({ err: error }, 'a peer message could not be settled; it is taken again after the next login')
        cut()
      })
    }

    const signal: SignalInbox = {
      admit(ciphertext) {
        if (isFenced) throw new Error(SESSION_CLOSED)
        const mark = ciphertextMark(ciphertext)
        const at = stanzas.get(ciphertext)
        if (marks.has(mark)) {
          at?.stanza.entry.done()
          return EMPTY
        }
        const known = journal.replay(mark)
        if (known === undefined) return undefined
        if (at) {
          at.stanza.opened.set(at.index, known)
          if (at.stanza.isPeer && isLast(at.stanza, at.index)) settleLater(at.stanza)
        }
        return known
      },
      async opened({ ciphertext, plaintext, changes }) {
        const at = stanzas.get(ciphertext)
        if (!at) throw new Error('a ciphertext without its stanza: the library no longer hands on the buffer of the node')
        const { stanza, index } = at
        stanza.opened.set(index, plaintext)
        if (stanza.isPeer) {
          stanza.entry.done()
          await hold(stanza, changes)
          if (isLast(stanza, index)) settleLater(stanza)
          return
        }
        if (!isLast(stanza, index)) return await hold(stanza, changes)
        try {
          await finish(stanza, parts(stanza.node).map(ciphertextMark), changes)
        } finally {
          stanza.entry.done()
        }
      },
      failed({ ciphertext, error }) {
        // The network delivers it again to the next socket.
        if (isFenced || error.message === SESSION_CLOSED) return
        const at = stanzas.get(ciphertext)
        at?.stanza.entry.done()
        if (!(error instanceof SignalError) && tries.isWorthAnother(ciphertextMark(ciphertext))) {
          log.error({ err: error, stanza: at?.stanza.node.attrs.id }, 'a message could not be taken; the connection is cut')
          return cut()
        }
        log.warn({ err: error, stanza: at?.stanza.node.attrs.id }, 'a message could not be read')
        if (at && !at.stanza.isPeer && error.message !== MISSING_KEYS_ERROR_TEXT) tellUnreadable(at.stanza.node)
        if (!at || !journal.has(at.stanza.id)) return
        // The sender key of the first part is taken; the content comes again as a stanza of its own.
        const { id } = at.stanza
        store
          .commit({ ops: [journal.remove(id)] })
          .then(() => journal.applied(id, null))
          .catch((cause) => log.warn({ err: cause }, 'an inbox journal record could not be removed'))
      },
    }

    return {
      signal,
      fence() {
        isFenced = true
        order.end()
      },
      enter: order.enter,
      attach(socket, saved) {
        sock = socket
        whenSaved = saved
        socket.ws.prependListener('CB:message', takeInLine)
        socket.ws.on('CB:message', see)
        socket.ws.on('CB:ib,,offline_preview', () => {
          // After passive mode is left and before the network's own queue.
          journal
            .replayPeers()
            .then((nodes) => {
              for (const node of nodes) socket.ws.emit('CB:message', node)
            })
            .catch((error) => log.error({ err: error }, 'peer messages could not be taken again'))
        })
      },
    }
  }

  /** Ciphertexts that met a failure of ours; after their last try they go the way of those that cannot be read. */
  const tries = createTries()

  const rotateMarks = () =>
    marks.rotate().catch((error) => log.warn({ err: error }, 'the older marks of the inbox could not be dropped'))

  /** Being told: the network can send a stanza twice in a row. */
  const telling = new Map<Mark, Promise<void>>()

  async function tellOnce(all: readonly Mark[], make: () => Promise<readonly DomainEvent[]>, more: readonly Op[]) {
    const appended = all.some(marks.has) ? [] : (await make()).map((event) => outbox.append(event))
    const isTold = appended.length > 0
    if (!isTold && more.length === 0) return
    await store.commit({ ops: [...(isTold ? marks.ops(all) : []), ...more, ...appended.flatMap(({ ops }) => ops)] })
    if (!isTold) return
    marks.applied(all)
    for (const { eventId } of appended) outbox.committed(eventId)
    await rotateMarks()
  }

  return {
    session,
    async once(mark, make, more = [], others = []) {
      const all = [mark, ...others]
      const before = telling.get(mark)
      const running = before ? before.then(() => tellOnce(all, make, more)) : tellOnce(all, make, more)
      telling.set(mark, running)
      try {
        await running
      } finally {
        if (telling.get(mark) === running) telling.delete(mark)
      }
    },
    async load() {
      await Promise.all([marks.load(), journal.load()])
    },
    async forget() {
      await store.commit({ ops: [...(await journal.eraseOps()), ...(await marks.eraseOps())] })
      journal.forgotten()
      marks.forgotten()
    },
  }
}

/**
 * One line for all messages of a socket. The library has two: what waited while we were away is taken one by one, what is new at once, so
 * that new messages overtake the old of the same chat; and new ones overtake each other while the first is still looking up its author's
 * addresses. A message under a sender key that overtakes the message with that key cannot be read at all (INBOUND.md, 3.5).
 */
function takeInLine({ attrs }: BinaryNode) {
  attrs.offline ??= '0'
}

/** Neither a ciphertext nor a text: the network keeps the content from linked devices (view once), or the phone has to send it again. */
const isEmptyHanded = ({ content }: BinaryNode) =>
  !Array.isArray(content) || !content.some(({ tag }) => tag === 'enc' || tag === 'plaintext')

function decode(plaintext: Uint8Array): proto.IMessage {
  const message = proto.Message.decode(plaintext)
  const inner = message.deviceSentMessage?.message
  if (!inner) return message
  // The secret of what our own phone sent may stand beside the envelope.
  const aside = inner.messageContextInfo ?? message.messageContextInfo
  return aside ? { ...inner, messageContextInfo: aside } : inner
}
