/**
 * Facts about the recipients of waiting messages. A look-up finds the jids of a destination, and is cached; facts about
 * the chat are read from the account's directory in memory.
 */
import { SECOND } from '../../../../src/domain/clock.ts'
import { type Identifier, parseIdentifier, toJid } from '../../../../src/domain/ids.ts'
import { boundedCache } from '../../../../src/lib/bounded-cache.ts'
import { hasBegun, lastHeardAt } from '../../directory/chats.ts'
import type { ChatEntry } from '../../directory/entries.ts'
import { bare, chatKind, identifierOf } from '../../wire/jid.ts'
import { numberForms } from './number-forms.ts'
import type { Recipient } from './rules.ts'

const MAX_KNOWN = 2_000

export interface RecipientsDeps {
  directory: { ready(): Promise<void>; chat(jids: readonly string[]): ChatEntry | undefined }
  /** Returns the person's other jid (number or LID), if known. */
  otherName(jid: string): Promise<string | null>
  /** Whether a destination has ever written to the account. `phone`: an identifier of the API. */
  hasWritten(phone: string): Promise<boolean>
  registered(digits: string): string | undefined
  /** Whether the jid is the account itself. */
  isMe(jid: string): boolean
  onError(error: unknown): void
}

type Jids = readonly [string, ...string[]]

interface LookUp {
  chat: Chat | undefined
  isRunning: boolean
  /** Number of `refresh` calls before the look-up began; -1 if the look-up failed. */
  round: number
}

interface Chat {
  jids: Jids
  isUser: boolean
  /** Whether the person had written to the account when the look-up was made. */
  hasWritten: boolean
}

export interface Recipients {
  /**
   * Returns the facts about a destination, or undefined until a look-up of it has succeeded. The listener of `onFound`
   * is called after each look-up that succeeded.
   */
  of(phone: string): Recipient | undefined
  at(jid: string): Promise<Recipient & { jids: readonly [string, string?] }>
  /**
   * Returns a function that says whether a destination is this chat. It returns false until a look-up of the
   * destination has succeeded, and for a chat that the directory does not have.
   */
  inChat(jid: string): (phone: string) => boolean
  /** Sets the listener. It gets the destinations whose look-ups have succeeded since its last call. */
  onFound(listener: (phones: ReadonlySet<string>) => void): void
  settled(): Promise<void>
  /**
   * Makes every look-up repeat when its result is needed next, because more jids of people may be known. The earlier
   * result is used until the new look-up has ended.
   */
  refresh(): void
  clear(): void
}

export function createRecipients(deps: RecipientsDeps): Recipients {
  const { directory, otherName, hasWritten, registered, isMe, onError } = deps
  let lookUps = boundedCache<string, LookUp>(MAX_KNOWN)
  let round = 0
  const running = new Set<Promise<void>>()
  let onFound: (phones: ReadonlySet<string>) => void = () => {}
  let found = new Set<string>()

  function report() {
    const phones = found
    found = new Set()
    if (phones.size > 0) onFound(phones)
  }

  function reportSoon(phone: string) {
    if (found.size === 0) setImmediate(report)
    found.add(phone)
  }

  async function look(jids: Jids): Promise<Chat> {
    await directory.ready()
    if (chatKind(jids[0]) !== 'user') return { jids, isUser: false, hasWritten: false }
    const others = (await Promise.all(jids.map(otherName))).flatMap((other) => other ?? [])
    const wrote = await Promise.all(jids.map((jid) => hasWritten(identifierOf(jid))))
    const [first, ...forms] = jids
    return { jids: [first, ...others, ...forms], isUser: true, hasWritten: wrote.includes(true) }
  }

  /**
   * Returns the jids that the destination may have. A number can have several forms, and often the registered form is
   * only known when a message is sent.
   */
  function jidsOf(destination: Identifier): Jids {
    const given = toJid(destination)
    if (destination.kind !== 'user' || destination.space === 'lid') return [given]
    const jid = registered(destination.digits)
    const others = numberForms(destination.digits).slice(1)
    return jid ? [jid] : [given, ...others.map((digits) => toJid({ ...destination, digits }))]
  }

  function lookUp(phone: string, chat?: Chat) {
    const destination = parseIdentifier(phone)
    const current = lookUps
    const begun: LookUp = { chat, isRunning: true, round }
    current.set(phone, begun)
    const lookingUp = look(destination ? jidsOf(destination) : [bare(phone)])
      .then(
        (result) => {
          begun.chat = result
          if (current === lookUps) reportSoon(phone)
        },
        (error: unknown) => {
          begun.round = -1
          onError(error)
        },
      )
      .finally(() => {
        begun.isRunning = false
        running.delete(lookingUp)
      })
    running.add(lookingUp)
  }

  function chatOf(phone: string): Chat | undefined {
    const known = lookUps.get(phone)
    if (!known || (known.round !== round && !known.isRunning)) lookUp(phone, known?.chat)
    return known?.chat
  }

  function recipient({ jids, isUser, hasWritten: wrote }: Chat): Recipient {
    const chat = directory.chat(jids)
    const heardAt = chat ? lastHeardAt(chat) : 0
    const isMyself = jids.some(isMe)
    return {
      isPerson: isUser && !isMyself,
      isMe: isMyself,
      isKnown: wrote || (chat !== undefined && hasBegun(chat)),
      heardAt: heardAt > 0 ? heardAt * SECOND : null,
      unanswered: chat?.unanswered ?? 0,
    }
  }

  return {
    of(phone) {
      const chat = chatOf(phone)
      return chat && recipient(chat)
    },
    async at(jid) {
      const chat = await look([bare(jid)])
      const [first, other] = chat.jids
      return { ...recipient(chat), jids: other === undefined ? [first] : [first, other] }
    },
    inChat(jid) {
      const entry = directory.chat([jid])
      return (phone) => {
        const chat = lookUps.get(phone)?.chat
        return entry !== undefined && chat !== undefined && entry === directory.chat(chat.jids)
      }
    },
    onFound(listener) {
      onFound = listener
    },
    async settled() {
      await Promise.all(running)
      report()
    },
    refresh() {
      round++
    },
    clear() {
      lookUps = boundedCache(MAX_KNOWN)
    },
  }
}
