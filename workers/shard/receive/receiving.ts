import type { WAMessage } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { sendCall } from '../../../src/domain/call.ts'
import { parseIdentifier } from '../../../src/domain/ids.ts'
import type { WriteChanges } from '../app-state/app-state.ts'
import type { SavedContacts } from '../chats/saved-contacts.ts'
import type { SocketSession } from '../chats/session.ts'
import type { Context } from '../context/instance-context.ts'
import type { GroupBook } from '../groups/group-book.ts'
import type { MessageLedger } from '../messages/message-ledger.ts'
import { messageMark } from '../messages/seen-marks.ts'
import type { Sending } from '../send/sending.ts'
import { unsupported, waiting } from '../translate/inbound/message.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import { cut } from '../wire/bounds.ts'
import { jidsOf } from '../wire/jid.ts'
import { createAccountNotices } from './account-notices.ts'
import { type AlongsideDeps, alongsideOf } from './alongside.ts'
import { createCallAnswers } from './call-answers.ts'
import { type Calls, createCalls } from './calls.ts'
import { changedMessages } from './effects/changed-messages.ts'
import type { HistoryReader } from './effects/history.ts'
import { createInbox, type InboxDeps } from './inbox/inbox.ts'
import type { InboxSession } from './inbox/inbox-session.ts'
import { createRecovered } from './inbox/recovered.ts'
import { createTries, triedOnce } from './inbox/tries.ts'
import { type AppendNotice, createNotices } from './notices.ts'
import { type AppendPost, createPosts } from './posts.ts'
import type { Presence } from './presence.ts'
import type { ReceivedEvents } from './received-events.ts'
import { createWaitingMessages, type WaitingMessages } from './waiting/waiting-messages.ts'

type ReceivingContext = Context<'id' | 'sealer' | 'clock' | 'steps' | 'config'> & { store: InboxDeps['store']; log: Logger }

export interface ReceivingDeps
  extends Pick<InboxDeps, 'keys' | 'share' | 'unreported' | 'onMessage'>,
    Omit<AlongsideDeps, 'changed' | 'messages'> {
  outbox: Outbox
  inbound: ReceivedEvents
  presence: Presence
  roles: Pick<GroupBook['roles'], 'changed'>
  contacts: Pick<SavedContacts, 'all' | 'write'>
  messages: MessageLedger
  enqueue: Sending['enqueue']
  /** Called for each message of another person. */
  received(): void
}

export interface Receiving {
  load(): Promise<void>
  forget(): Promise<void>
  session(): InboxSession
  readonly appState: WriteChanges
  isWorthAnother(what: string): boolean
  /** Returns the handlers of the notifications and channel posts of one session. These stanzas have no ciphertext. */
  notices(session: SocketSession): { notification: AppendNotice; post: AppendPost }
  readonly calls: Pick<Calls, 'take'>
  readonly presence: Pick<Presence, 'onStanza' | 'caughtUp'>
  readonly history: readonly HistoryReader[]
  chatChanged: ReceivedEvents['chatChanged']
  isMissing: WaitingMessages['has']
  attach(session: SocketSession): void
  loggedIn(session: SocketSession): void
  announce(): void
  stop(): Promise<void>
}

export function createReceiving(context: ReceivingContext, deps: ReceivingDeps): Receiving {
  const { id: instance, store, sealer, clock, log } = context
  const { outbox, inbound, presence, messages } = deps
  const changed = changedMessages({ messages, context: inbound.context })
  const alongside = alongsideOf({ ...deps, changed })
  const held = createWaitingMessages({
    instance,
    store,
    sealer,
    clock,
    log,
    outbox,
    alongside: alongside.unreadable,
    unreported: deps.unreported,
    event: async ({ key, timestamp, pushName, viewOnce, protoType }) => {
      const translated = protoType === undefined ? waiting(viewOnce) : unsupported(cut(protoType, 64))
      return inbound.context() ? inbound.unread({ key, messageTimestamp: timestamp, pushName }, translated) : 'later'
    },
  })

  function onMessage(message: WAMessage) {
    presence.met(message.key.remoteJid ?? '')
    if (!message.key.fromMe) deps.received()
    deps.onMessage(message)
  }

  const inbox = createInbox({
    instance,
    store,
    sealer,
    clock,
    log,
    outbox,
    steps: context.steps,
    keys: deps.keys,
    share: deps.share,
    unreported: deps.unreported,
    marks: messages.seen,
    remember: messages.remember,
    translate: (message) => inbound.message(message),
    alongside: alongside.message,
    arrived: held.arrived,
    unreadable: held.add,
    openAnswer: inbound.answer,
    peer: (message) => recovered(message),
    onMessage,
  })
  const once = triedOnce(inbox.once, log)
  const rememberAndNotice = (message: WAMessage) => {
    messages.remember(message)
    onMessage(message)
  }
  const recovered = createRecovered({
    inbound,
    once,
    alongside: alongside.message,
    waiting: held,
    log,
    onMessage: rememberAndNotice,
  })
  const tries = createTries()
  const answers = createCallAnswers(context)
  const calls = createCalls(context, {
    settings: () => context.config().settings,
    translated: inbound.translated,
    once,
    async enqueue({ from, alt }, text, key) {
      const person = await inbound.context()?.identity.person(from, alt)
      if (person) await answers.answer(jidsOf(person), () => answerCall(deps.enqueue, person.phone, text, key))
    },
  })

  return {
    session: inbox.session,
    appState: createAccountNotices({ clock, log, outbox, inbound, contacts: deps.contacts }),
    isWorthAnother: (what) => tries.isWorthAnother(messageMark({ id: what, chat: 'stanza', author: '' })),
    notices: (session) => ({
      notification: createNotices(session, { inbound, log, once, rolesChanged: deps.roles.changed }),
      post: createPosts(session, {
        inbound,
        unreported: deps.unreported,
        log,
        once,
        onMessage: rememberAndNotice,
        authored: messages.authorOps,
        postChanged: changed.post,
      }),
    }),
    calls,
    presence,
    history: [inbound.history],
    chatChanged: inbound.chatChanged,
    isMissing: held.has,
    async forget() {
      await held.forget()
      await calls.forget()
      await answers.forget()
      inbound.clear()
      await inbox.forget()
    },
    async load() {
      await Promise.all([inbox.load(), held.load(), calls.load()])
    },
    attach(session) {
      inbound.use(session)
      presence.attach(session)
    },
    loggedIn: calls.resume,
    announce: presence.announce,
    async stop() {
      await Promise.all([held.stop(), presence.stop()])
    },
  }
}

/** Queues the text for a rejected caller. A text with the same key is queued only once. */
async function answerCall(enqueue: Sending['enqueue'], phone: string, message: string, key: string): Promise<void> {
  const identifier = parseIdentifier(phone)
  if (!identifier) return
  const input = { phone: identifier, message, link_preview: false }
  await enqueue(sendCall('instance.callReject', input, { to: identifier }), { idempotencyKey: key })
}
