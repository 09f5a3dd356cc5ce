/**
 * Creates `chat_presence` events: who is online and who is typing. The network sends these stanzas only to an account
 * that is available, and the phone then shows no notifications. So this module reports the account as available only
 * while a webhook or a stream wants these events.
 */

import { type BinaryNode, isPnUser } from '@whiskeysockets/baileys'
import PQueue from 'p-queue'
import { iso, SECOND } from '../../../src/domain/clock.ts'
import type { EventOf } from '../../../src/features/webhook-payloads.ts'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import type { Session, SocketSession } from '../chats/session.ts'
import type { Context } from '../context/instance-context.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import { fromOf } from '../wire/envelope.ts'
import { bare, chatKind, identifierOf } from '../wire/jid.ts'
import { lastSeenIn, type PresenceState, stateOf, subscription } from '../wire/presence.ts'

export interface Presence {
  attach(session: SocketSession): void
  onStanza(session: Session, node: BinaryNode): void
  /**
   * Reports the account as available while a webhook or stream wants presence events, and otherwise as unavailable.
   * Called after each connection, and when this changes.
   */
  announce(): void
  met(jid: string): void
  wroteTo(jid: string): void
  caughtUp(session: Session): void
  stop(): Promise<void>
}

/** Maximum number of chats whose last state is remembered. A state that equals it is not reported again. */
const REMEMBERED = 5_000

export function createPresence(
  { store, clock, log }: Context<'store' | 'clock' | 'log'>,
  { outbox }: { outbox: Outbox },
): Presence {
  const last = boundedCache<string, PresenceState>(REMEMBERED)
  let session: Session | null = null
  let subscribed = new Set<string>()
  /**
   * Chats with messages in the offline backlog; null after the backlog. Their presence is subscribed to after the
   * backlog, so that it is not reported before an older message.
   */
  let early: Set<string> | null = new Set()
  let isAvailable = false
  const tasks = new PQueue({ concurrency: 1 })
  const wanted = () => outbox.wanted('chat_presence')
  const unsent = (error: unknown) => log.info({ err: error }, 'presence could not be sent')

  async function appendEvent(from: Session, node: BinaryNode, state: PresenceState) {
    const chat = bare(fromOf(node))
    const kind = chatKind(chat)
    const person = kind === 'user' ? await from.identity.person(chat) : { phone: identifierOf(chat), lid: null }
    // The same person may appear under two jids, so the last state is stored by the number.
    if (last.get(person.phone) === state) return
    last.set(person.phone, state)
    const seconds = lastSeenIn(node)
    const event: EventOf<'chat_presence'> = {
      type: 'chat_presence',
      at: clock.now(),
      body: {
        phone: person.phone,
        chat_lid: person.lid,
        is_group: kind === 'group',
        status: state,
        last_seen: seconds === null ? null : iso(seconds * SECOND),
      },
    }
    const { eventId, ops } = outbox.append(event)
    await store.commit({ ops })
    outbox.committed(eventId)
  }

  function onStanza(from: Session, node: BinaryNode) {
    const state = stateOf(node)
    if (from !== session || !state || !wanted() || !fromOf(node) || from.identity.isMe(fromOf(node))) return
    tasks
      .add(() => appendEvent(from, node, state))
      .catch((error) => log.error({ err: error }, 'a presence update could not be reported'))
  }

  /**
   * Subscribes to a person, unless this was done under the other jid: the answer contains the state at that moment,
   * which may arrive after later changes.
   */
  async function subscribe(from: Session, chat: string) {
    const lid = isPnUser(chat) ? await from.identity.lidOf(chat) : null
    const name = lid === null ? chat : bare(lid)
    if (name !== chat && subscribed.has(name)) return
    subscribed.add(name)
    if (from === session && from.isOpen) await from.ask.write(subscription(name, await from.tokens.node(name)))
  }

  function follow(jid: string) {
    const chat = bare(jid)
    const kind = chatKind(chat)
    if (!session?.isOpen || !wanted() || (kind !== 'user' && kind !== 'group') || subscribed.has(chat)) return
    if (session.identity.isMe(chat)) return
    subscribed.add(chat)
    subscribe(session, chat).catch(unsent)
  }

  function announce() {
    if (!session?.isOpen || isAvailable === wanted() || !session.me?.name) return
    isAvailable = wanted()
    const { ask, announce } = session
    ask.run(() => announce(isAvailable)).catch(unsent)
  }

  return {
    announce,
    attach(next) {
      session = next
      // The network refuses a presence of an account without a name, and the name arrives after the first login. So the
      // presence is announced again when the name has arrived.
      next.sock.ev.on('creds.update', ({ me }) => {
        if (me?.name && session === next) announce()
      })
      subscribed = new Set()
      early = new Set()
      isAvailable = false
    },
    onStanza,
    met(jid) {
      if (early === null) follow(jid)
      else if (early.size < REMEMBERED) early.add(jid)
    },
    wroteTo: follow,
    caughtUp(from) {
      if (from !== session || early === null) return
      const chats = early
      early = null
      for (const chat of chats) follow(chat)
    },
    async stop() {
      session = null
      await tasks.onIdle()
    },
  }
}
