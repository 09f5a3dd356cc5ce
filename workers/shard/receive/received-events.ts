/**
 * What arrives at one instance, as events: what translation may ask of the parts around it, and which of its events are wanted. It lives
 * as long as the instance: a message whose session has just ended is still told with what that session knew.
 */
import type { Contact, WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Clock } from '../../../src/domain/clock.ts'
import type { ReceivedFile } from '../../../src/domain/file-download.ts'
import type { InstanceConfig } from '../../../src/domain/instance.ts'
import type { ReceivedEvent } from '../../../src/features/webhook-payloads.ts'
import type { MediaLinks } from '../../../src/media/links.ts'
import type { Authorship } from '../chats/authorship.ts'
import type { GroupRoles } from '../chats/group-roles.ts'
import { createNames } from '../chats/names.ts'
import { createPictures, PICTURE_HOST } from '../chats/pictures.ts'
import type { Recent } from '../chats/recent.ts'
import type { SavedContacts } from '../chats/saved-contacts.ts'
import type { Secrets } from '../chats/secrets.ts'
import type { Session } from '../chats/session.ts'
import type { Sent } from '../retry/sent.ts'
import type { Shown } from '../translate/inbound/context.ts'
import type { InboundContext, KnownMessage, Told } from '../translate/inbound/family.ts'
import { isReported } from '../translate/inbound/filters.ts'
import { lookedUp } from '../translate/inbound/lookup.ts'
import { type ReadableMessage, receivedEvent, toldEvent } from '../translate/inbound/message.ts'
import { chatNamesOf } from '../translate/inbound/referenced.ts'
import { allNames } from '../translate/inbound/secret.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import type { ChatChange } from '../wire/chat-changes.ts'
import { bare, chatKind } from '../wire/jid.ts'

export interface InboundDeps {
  instance: string
  clock: Clock
  steady: Clock
  log: Logger
  outbox: Outbox
  links: MediaLinks
  recent: Recent
  sent: Sent
  contacts: Pick<SavedContacts, 'all'>
  /** `host:port` where the library's fixed media host is replaced. */
  mediaHost: string | null
  secrets: Secrets
  authorship: Pick<Authorship, 'claim' | 'ops'>
  roles: Pick<GroupRoles, 'attach' | 'of' | 'changed'>
  config(): InstanceConfig
  /** The account's own number in digits, null before it is known. */
  phone(): string | null
}

export interface Inbound {
  /** Called with every session before it is used. */
  use(session: Session): void
  /** Null before the first session. */
  context(): InboundContext | null
  /** The event of a message, or null when there is nothing to tell or nobody wants it. */
  message(readable: WAMessage, fromApi?: boolean): Promise<ReceivedEvent | null>
  /** The same for what has no content: notifications, messages that cannot be read. */
  told(readable: ReadableMessage, told: Told): Promise<ReceivedEvent | null>
  /** The phone's address book has changed, and that is on disk. */
  contactsSaved(contacts: readonly Contact[]): void
  /** A chat has another name or picture. */
  chatChanged(change: ChatChange): Promise<void>
  /** What is known of an account that is unlinked. */
  clear(): void
}

interface Wondered {
  jids: readonly string[]
  shown: Shown
}

export function createInbound(deps: InboundDeps): Inbound {
  const {
    instance,
    clock,
    steady,
    log,
    outbox,
    links,
    recent,
    sent,
    secrets,
    authorship,
    roles,
    contacts,
    mediaHost,
    config,
    phone,
  } = deps
  let session: Session | null = null
  const names = createNames({ log, contacts, onNewsletter: (jid, description) => pictures.learnNewsletter(jid, description) })
  const pictures = createPictures({ clock: steady, log, host: mediaHost ?? PICTURE_HOST, askNewsletter: names.askNewsletter })

  async function original(id: string, about: WAMessageKey): Promise<KnownMessage | null> {
    const known = recent.spokenOf(id, about)
    if (known) return { key: known.key, message: known.message ?? {} }
    // After a restart: what we sent, whole, for as long as it may have to be sent again, and what opens the later parts of any message.
    const chat = await chatOf(about)
    const own = await sent.letter(id)
    if (!own) return secrets.get(id, chat)
    const isHere = own.stanza === undefined || chat.has(bare(own.stanza.to))
    return isHere ? { key: { id, fromMe: true }, message: own.message } : null
  }

  /** Every name of the chat in which something is said. */
  const chatOf = (about: WAMessageKey): Promise<Set<string>> =>
    session
      ? allNames({ context: { identity: session.identity } }, chatNamesOf(about))
      : Promise.resolve(new Set(chatNamesOf(about)))

  function mediaUrl(file: ReceivedFile): string | null {
    const { baseUrl, tokenTag } = config()
    const link = baseUrl === undefined ? null : links.seal(instance, tokenTag, file, clock.now())
    return link === null ? null : `${baseUrl}/media/${link}`
  }

  /** `wondered` takes what the event would have shown had it been known. */
  function context(wondered: Wondered[] = []): InboundContext | null {
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
        if (shown) wondered.push({ jids, shown })
        return pictures.of(jids)
      },
      original: lookedUp(original),
      claim: lookedUp(authorship.claim),
      roles: lookedUp(roles.of),
      post: (newsletter, serverId) => recent.post(newsletter, serverId) ?? null,
      mediaUrl,
      onProblem: (error, key) => log.warn({ err: error, message_id: key.id }, 'a message could not be told'),
    }
  }

  const readSavedNames = lookedUp(names.load)

  async function wanted(make: (context: InboundContext) => Promise<ReceivedEvent | null>): Promise<ReceivedEvent | null> {
    const wondered: Wondered[] = []
    const from = outbox.wanted('received') ? context(wondered) : null
    if (from) await readSavedNames()
    const event = from && (await make(from))
    if (!event || !isReported(event, config().webhooks)) return null
    for (const { jids, shown } of wondered) pictures.wonder(jids, shown)
    return event
  }

  return {
    use(next) {
      session = next
      names.attach(next)
      pictures.attach(next)
      roles.attach(next)
    },
    context: () => context(),
    contactsSaved: names.saved,
    async chatChanged({ jid, name, hasNewPicture }) {
      if (name !== null) names.renamed(jid, name)
      if (hasNewPicture) await pictures.changed(jid)
    },
    message(readable, fromApi) {
      const { remoteJid, remoteJidAlt, participant, participantAlt, fromMe } = readable.key
      const author = participant ? [participant, participantAlt] : [remoteJid, remoteJidAlt]
      if (!fromMe && author[0] && chatKind(author[0]) === 'user') names.heard(author, readable.pushName)
      return wanted((from) => receivedEvent(from, readable, fromApi))
    },
    told: (readable, told) => wanted((from) => toldEvent(from, readable, told)),
    clear() {
      names.clear()
      pictures.clear()
    },
  }
}
