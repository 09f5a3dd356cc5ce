/**
 * Facts about the recipients of waiting messages, for the rules of send safety. To find the jids of a destination, a look-up is necessary; its result
 * is cached. The facts about the chat are then read from the account's directory, which is in memory.
 */
import { SECOND } from '../../../../src/domain/clock.ts'
import { type Identifier, parseIdentifier, toJid } from '../../../../src/domain/ids.ts'
import { boundedCache } from '../../../../src/lib/bounded-cache.ts'
import { hasBegun, lastHeardAt } from '../../directory/chats.ts'
import type { ChatEntry } from '../../directory/entries.ts'
import { bare, chatKind, identifierOf } from '../../wire/jid.ts'
import { numberForms } from './number-forms.ts'
import type { Recipient } from './rules.ts'

/** The most cached look-ups: more than a queue can hold. */
const MAX_KNOWN = 2_000

export interface RecipientsDeps {
  directory: { ready(): Promise<void>; chat(jids: readonly string[]): ChatEntry | undefined }
  /** Returns the person's other jid (number or LID), if known. */
  otherName(jid: string): Promise<string | null>
  /** Whether the destination, in the form of the API, has ever written to the account. */
  hasWritten(phone: string): Promise<boolean>
  /** Returns the jid that the network registered for a number, if the network said it before. */
  registered(digits: string): string | undefined
  /** Whether the jid is the account itself: messages of the account to itself are always allowed. */
  isMe(jid: string): boolean
  onError(error: unknown): void
}

type Jids = readonly [string, ...string[]]

interface Chat {
  /** All jids under which the chat may be known. */
  jids: Jids
  isUser: boolean
  /** Whether the person had written to the account when the look-up was made. */
  hasWritten: boolean
}

export interface Recipients {
  /** Returns the facts about the destination of an item; undefined during the look-up. `onFound` is called when the look-up ends. */
  of(phone: string): Recipient | undefined
  /** Looks up a chat by its jid. */
  at(jid: string): Promise<Recipient & { jids: readonly [string, string?] }>
  /** Whether the destination is this chat, which must be in the directory. False if the destination was not looked up. */
  isChat(phone: string, jid: string): boolean
  onFound(listener: (phone: string) => void): void
  /** Resolves when the look-ups that are running now have ended. */
  settled(): Promise<void>
  /** Forgets all look-ups, because a session has opened, which knows more names, or another account is linked. */
  clear(): void
}

export function createRecipients(deps: RecipientsDeps): Recipients {
  const { directory, otherName, hasWritten, registered, isMe, onError } = deps
  /** Chats by destination; `coming` while a look-up is running. */
  let chats = boundedCache<string, Chat | 'coming'>(MAX_KNOWN)
  let onFound: (phone: string) => void = () => {}
  const running = new Set<Promise<void>>()

  async function look(jids: Jids): Promise<Chat> {
    await directory.ready()
    if (chatKind(jids[0]) !== 'user') return { jids, isUser: false, hasWritten: false }
    const others = (await Promise.all(jids.map(otherName))).flatMap((other) => other ?? [])
    const wrote = await Promise.all(jids.map((jid) => hasWritten(identifierOf(jid))))
    const [first, ...forms] = jids
    return { jids: [first, ...others, ...forms], isUser: true, hasWritten: wrote.includes(true) }
  }

  /** Returns the jids that a destination may have. A message goes to the registered form, which is often known only when the message is sent. */
  function jidsOf(destination: Identifier): Jids {
    const given = toJid(destination)
    if (destination.kind !== 'user' || destination.space === 'lid') return [given]
    const jid = registered(destination.digits)
    const others = numberForms(destination.digits).slice(1)
    return jid ? [jid] : [given, ...others.map((digits) => toJid({ ...destination, digits }))]
  }

  function lookUp(phone: string) {
    const destination = parseIdentifier(phone)
    if (!destination) return
    const current = chats
    current.set(phone, 'coming')
    const lookingUp = look(jidsOf(destination)).then(
      (chat) => {
        if (current !== chats) return
        current.set(phone, chat)
        onFound(phone)
      },
      (error: unknown) => {
        current.delete(phone)
        onError(error)
      },
    )
    running.add(lookingUp)
    void lookingUp.finally(() => running.delete(lookingUp))
  }

  function recipient({ jids, isUser, hasWritten: wrote }: Chat): Recipient {
    const chat = directory.chat(jids)
    const heardAt = chat ? lastHeardAt(chat) : 0
    return {
      isPerson: isUser && !jids.some(isMe),
      isKnown: wrote || (chat !== undefined && hasBegun(chat)),
      heardAt: heardAt > 0 ? heardAt * SECOND : null,
      unanswered: chat?.unanswered ?? 0,
    }
  }

  return {
    of(phone) {
      const chat = chats.get(phone)
      if (chat === undefined) lookUp(phone)
      return chat === undefined || chat === 'coming' ? undefined : recipient(chat)
    },
    async at(jid) {
      const chat = await look([bare(jid)])
      const [first, other] = chat.jids
      return { ...recipient(chat), jids: other === undefined ? [first] : [first, other] }
    },
    isChat(phone, jid) {
      const chat = chats.get(phone)
      if (chat === undefined || chat === 'coming') return false
      const entry = directory.chat([jid])
      return entry !== undefined && entry === directory.chat(chat.jids)
    },
    onFound(listener) {
      onFound = listener
    },
    settled: async () => void (await Promise.all(running)),
    clear() {
      chats = boundedCache(MAX_KNOWN)
    },
  }
}
