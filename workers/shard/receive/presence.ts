/**
 * `chat_presence`: who is there and who writes. The network tells only whoever is available itself, and being available silences the
 * phone, so the account is available only while somebody wants these events (webhook-payloads.md, 6). Read from the stanzas: the library
 * turns `paused` into `available`.
 */

import { type BinaryNode, getAllBinaryNodeChildren, isPnUser } from '@whiskeysockets/baileys'
import PQueue from 'p-queue'
import type { Logger } from 'pino'
import { type Clock, iso, SECOND } from '../../../src/domain/clock.ts'
import type { EventOf } from '../../../src/features/webhook-payloads.ts'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import type { Session } from '../chats/session.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import { bare, chatKind, identifierOf } from '../wire/jid.ts'

export interface PresenceDeps {
  store: StateStore
  outbox: Outbox
  clock: Clock
  log: Logger
}

export interface Presence {
  attach(session: Session): void
  /** `<presence>` and `<chatstate>`. */
  onStanza(session: Session, node: BinaryNode): void
  /** After each connection, and when somebody begins or ceases to want it. */
  announce(): void
  /** A message was exchanged with this chat. */
  met(jid: string): void
  stop(): Promise<void>
}

type State = 'available' | 'unavailable' | 'composing' | 'recording' | 'paused'

/** Chats whose last state is remembered; a repeat of an older one would repeat an event. */
const REMEMBERED = 5_000

/** Null for what is no state. */
export function stateOf(node: BinaryNode): State | null {
  if (node.tag === 'presence') return node.attrs.type === 'unavailable' ? 'unavailable' : node.attrs.type ? null : 'available'
  const [child] = getAllBinaryNodeChildren(node)
  if (child?.tag === 'paused') return 'paused'
  if (child?.tag !== 'composing') return null
  return child.attrs.media === 'audio' ? 'recording' : 'composing'
}

export function createPresence({ store, outbox, clock, log }: PresenceDeps): Presence {
  const last = boundedCache<string, State>(REMEMBERED)
  let session: Session | null = null
  let subscribed = new Set<string>()
  let isAvailable = false
  const line = new PQueue({ concurrency: 1 })
  const wanted = () => outbox.wanted('chat_presence')
  const unsent = (error: unknown) => log.info({ err: error }, 'presence could not be sent')

  async function tell(from: Session, node: BinaryNode, state: State) {
    const chat = bare(node.attrs.from ?? '')
    const kind = chatKind(chat)
    const person = kind === 'user' ? await from.identity.person(chat) : { phone: identifierOf(chat), lid: null }
    // A person goes by two names; the number is the same under both.
    if (last.get(person.phone) === state) return
    last.set(person.phone, state)
    const seconds = Number(node.attrs.last)
    const event: EventOf<'chat_presence'> = {
      type: 'chat_presence',
      at: clock.now(),
      body: {
        phone: person.phone,
        chat_lid: person.lid,
        is_group: kind === 'group',
        status: state,
        last_seen: Number.isSafeInteger(seconds) && seconds > 0 && seconds < 1e11 ? iso(seconds * SECOND) : null,
      },
    }
    const { eventId, ops } = outbox.append(event)
    await store.commit({ ops })
    outbox.committed(eventId)
  }

  function onStanza(from: Session, node: BinaryNode) {
    const state = stateOf(node)
    if (from !== session || !state || !wanted() || !node.attrs.from || from.identity.isMe(node.attrs.from)) return
    line.add(() => tell(from, node, state)).catch((error) => log.error({ err: error }, 'a presence could not be reported'))
  }

  /** A person once, though known by two names: each time the network says how things stand, in the middle of what has changed since. */
  async function subscribe(from: Session, chat: string) {
    const lid = isPnUser(chat) ? await from.identity.lidOf(chat) : null
    const name = lid === null ? chat : bare(lid)
    if (name !== chat && subscribed.has(name)) return
    subscribed.add(name)
    if (from === session && from.isOpen) await from.sock.presenceSubscribe(name)
  }

  function announce() {
    if (!session?.isOpen || isAvailable === wanted() || !session.me?.name) return
    isAvailable = wanted()
    session.sock.sendPresenceUpdate(isAvailable ? 'available' : 'unavailable').catch(unsent)
  }

  return {
    announce,
    attach(next) {
      session = next
      // The network takes no presence from an account without a name, and the name comes after the first login.
      next.sock.ev.on('creds.update', ({ me }) => {
        if (me?.name && session === next) announce()
      })
      subscribed = new Set()
      isAvailable = false
    },
    onStanza,
    met(jid) {
      const chat = bare(jid)
      const kind = chatKind(chat)
      if (!session?.isOpen || !wanted() || (kind !== 'user' && kind !== 'group') || subscribed.has(chat)) return
      if (session.identity.isMe(chat)) return
      subscribed.add(chat)
      subscribe(session, chat).catch(unsent)
    },
    async stop() {
      session = null
      await line.onIdle()
    },
  }
}
