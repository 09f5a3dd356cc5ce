/**
 * Creates the events of received stanzas of one instance, and drops unwanted ones. It outlives the session, so a
 * message whose session has just ended is still reported.
 */
import type { BinaryNode, Contact, WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { ReceivedFile } from '../../../src/domain/file-download.ts'
import type { ReceivedEvent } from '../../../src/features/webhook-payloads.ts'
import type { MediaLinks } from '../../../src/media/media-links.ts'
import { createNames, type NameDeps } from '../chats/names.ts'
import { createPictures, PICTURE_HOST } from '../chats/pictures.ts'
import type { SavedContacts } from '../chats/saved-contacts.ts'
import type { SocketSession } from '../chats/session.ts'
import type { Context } from '../context/instance-context.ts'
import type { GroupBook } from '../groups/group-book.ts'
import type { MessageLedger } from '../messages/message-ledger.ts'
import { decryptBotAnswer } from '../translate/inbound/bot-answer.ts'
import type { Shown } from '../translate/inbound/context.ts'
import type { InboundContext, Translated } from '../translate/inbound/family.ts'
import { isReported } from '../translate/inbound/filters.ts'
import { lookedUp } from '../translate/inbound/lookup.ts'
import { type ReadableMessage, receivedEvent, translatedEvent } from '../translate/inbound/message.ts'
import { chatNamesOf } from '../translate/inbound/referenced.ts'
import { allNames } from '../translate/inbound/secret.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import type { ChatChange } from '../wire/chat-changes.ts'
import { chatKind, jidOf } from '../wire/jid.ts'
import { answerIn } from '../wire/message-stanza.ts'
import type { HistoryReader } from './effects/history.ts'
import type { FilesToCopy } from './files-to-copy.ts'
import { eventOrNull, type Reported } from './unreported.ts'

export interface ReceivedEventsDeps {
  outbox: Outbox
  links: MediaLinks
  /** Records files to copy to the bucket; undefined if there is no bucket. */
  toCopy: FilesToCopy | undefined
  messages: Pick<MessageLedger, 'original' | 'post' | 'claim'>
  contacts: Pick<SavedContacts, 'all'>
  directory: { contact: NameDeps['listed'] }
  /** `host:port` that replaces the network's host of pictures; null if it is not replaced. */
  mediaHost: string | null
  roles: GroupBook['roles']
  phone(): string | null
}

export interface ReceivedEvents {
  use(session: SocketSession): void
  context(): InboundContext | null
  message(readable: WAMessage, fromApi?: boolean): Promise<Reported>
  unread(readable: ReadableMessage, translated: Translated): Promise<Reported>
  answer(key: WAMessageKey, node: BinaryNode, ciphertext: Uint8Array): Promise<Uint8Array | null>
  translated(readable: ReadableMessage, translated: Translated): Promise<ReceivedEvent | null>
  /** Returns all jids of a chat: of a person the number and the LID. `chat` is an identifier of the API. */
  namesOf(chat: string): Promise<ReadonlySet<string>>
  /**
   * Translates a message for the dashboard, even if its event is not wanted. Null if there is nothing to show, or
   * before the first session.
   */
  shown(readable: WAMessage): Promise<ReceivedEvent | null>
  contactsSaved(contacts: readonly Contact[]): void
  /** Reads the names in the phone's history. */
  history: HistoryReader
  chatChanged(change: ChatChange): Promise<void>
  clear(): void
}

interface ToPrefetch {
  jids: readonly string[]
  shown: Shown
}

export function createReceivedEvents(
  { id: instance, clock, steady, log, config }: Context<'id' | 'clock' | 'steady' | 'config'> & { log: Logger },
  deps: ReceivedEventsDeps,
): ReceivedEvents {
  const { outbox, links, toCopy, messages, roles, contacts, directory, mediaHost, phone } = deps
  let session: SocketSession | null = null
  const names = createNames({
    log,
    contacts,
    listed: directory.contact,
  })
  const pictures = createPictures({ clock: steady, log, host: mediaHost ?? PICTURE_HOST, askNewsletter: names.askNewsletter })
  names.onNewsletter(pictures.learnNewsletter)

  const chatOf = (about: WAMessageKey): Promise<Set<string>> =>
    session
      ? allNames({ context: { identity: session.identity } }, chatNamesOf(about))
      : Promise.resolve(new Set(chatNamesOf(about)))

  function mediaUrl(file: ReceivedFile): string | null {
    const { baseUrl, tokenTag } = config()
    const link = baseUrl === undefined ? null : links.seal(instance, tokenTag, file, clock.now())
    if (link === null) return null
    const url = `${baseUrl}/media/${link}`
    toCopy?.made(url, link)
    return url
  }

  function context(toPrefetch: ToPrefetch[] = []): InboundContext | null {
    if (!session) return null
    const { identity } = session
    return {
      identity: {
        ...identity,
        person: lookedUp(identity.person),
        lidOf: lookedUp(identity.lidOf),
        pnOf: lookedUp(identity.pnOf),
      },
      connectedPhone: phone,
      now: () => clock.now(),
      chatName: names.of,
      photo(jids, shown) {
        if (shown) toPrefetch.push({ jids, shown })
        return pictures.of(jids)
      },
      original: lookedUp((id: string, about: WAMessageKey) => messages.original(id, about, () => chatOf(about))),
      claim: lookedUp(messages.claim),
      roles: lookedUp(roles.of),
      post: lookedUp(messages.post),
      mediaUrl,
      onProblem: (error, key) => log.warn({ err: error, message_id: key.id }, 'a message could not be translated'),
    }
  }

  const readSavedNames = lookedUp(names.load)

  async function wanted(make: (context: InboundContext) => Promise<ReceivedEvent | null>): Promise<Reported> {
    const toPrefetch: ToPrefetch[] = []
    const from = outbox.wanted('received') ? context(toPrefetch) : null
    if (!from) return 'unwanted'
    await readSavedNames()
    const event = await make(from)
    if (!event) return 'plumbing'
    if (!isReported(event, config().webhooks)) return 'filtered'
    for (const { jids, shown } of toPrefetch) pictures.prefetch(jids, shown)
    return event
  }

  return {
    use(next) {
      session = next
      names.attach(next)
      pictures.attach(next)
    },
    context: () => context(),
    namesOf: (chat) => chatOf({ remoteJid: jidOf(chat) }),
    async shown(readable) {
      const from = context()
      if (from === null) return null
      await readSavedNames()
      return receivedEvent({ ...from, mediaUrl: () => null, photo: () => null }, readable)
    },
    contactsSaved: names.saved,
    history: { take: names.history },
    async chatChanged({ jid, name, hasNewPicture }) {
      if (name !== null) names.renamed(jid, name)
      if (hasNewPicture) await pictures.changed(jid)
    },
    message(readable, fromApi) {
      const { remoteJid, remoteJidAlt, participant, participantAlt, fromMe } = readable.key
      const author = participant ? [participant, participantAlt] : [remoteJid, remoteJidAlt]
      if (!fromMe && author[0] && chatKind(author[0]) === 'user') names.recordPushName(author, readable.pushName)
      return wanted((from) => receivedEvent(from, readable, fromApi))
    },
    async answer(key, node, ciphertext) {
      const from = context()
      return from && decryptBotAnswer(from, key, answerIn(node), ciphertext)
    },
    unread: (readable, translated) => wanted((from) => translatedEvent(from, readable, translated)),
    translated: (readable, translated) => wanted((from) => translatedEvent(from, readable, translated)).then(eventOrNull),
    clear() {
      names.clear()
      pictures.clear()
    },
  }
}
