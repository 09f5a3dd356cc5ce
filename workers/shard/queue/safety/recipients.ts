/**
 * Facts about the recipients of waiting messages, for the rules of send safety. To find the jids of a destination, a look-up is necessary; its result
 * is cached. The facts about the chat are then read from the account's directory, which is in memory.
 */
import { SECOND } from '../../../../src/domain/clock.ts'
import { parseIdentifier, toJid } from '../../../../src/domain/ids.ts'
import { boundedCache } from '../../../../src/lib/bounded-cache.ts'
import { hasBegun } from '../../directory/chats.ts'
import type { ChatEntry } from '../../directory/entries.ts'
import { bare, chatKind, identifierOf } from '../../wire/jid.ts'
import type { Recipient } from './rules.ts'

/** The most cached look-ups: more than a queue can hold. */
const MAX_KNOWN = 2_000

export interface RecipientsDeps {
  directory: { ready(): Promise<void>; chat(jids: readonly string[]): ChatEntry | undefined }
  /** Returns the person's other jid (number or LID), if known. */
  otherName(jid: string): Promise<string | null>
  /** Whether the destination, in the form of the API, has ever written to the account. */
  hasWritten(phone: string): Promise<boolean>
  /** Whether the jid is the account itself: messages of the account to itself are always allowed. */
  isMe(jid: string): boolean
  onError(error: unknown): void
}

interface Chat {
  jids: readonly [string, string?]
  isPerson: boolean
  /** Whether the person had written to the account when the look-up was made. */
  hasWritten: boolean
}

export interface Recipients {
  /** Returns the facts about the destination of an item; undefined during the look-up. `onFound` is called when the look-up ends. */
  of(phone: string): Recipient | undefined
  /** Looks up a chat by its jid. */
  at(jid: string): Promise<Recipient & Pick<Chat, 'jids'>>
  /** Whether the destination is this chat. False if it was not looked up. */
  isChat(phone: string, jid: string): boolean
  onFound(listener: (phone: string) => void): void
  /** Forgets all look-ups, because somebody wrote for the first time, or another account is linked. */
  clear(): void
}

export function createRecipients(deps: RecipientsDeps): Recipients {
  const { directory, otherName, hasWritten, isMe, onError } = deps
  /** Chats by destination; `coming` while a look-up is running. */
  let chats = boundedCache<string, Chat | 'coming'>(MAX_KNOWN)
  let onFound: (phone: string) => void = () => {}

  async function look(jid: string, phone: string): Promise<Chat> {
    await directory.ready()
    if (chatKind(jid) !== 'user') return { jids: [jid], isPerson: false, hasWritten: false }
    const other = await otherName(jid)
    const jids: Chat['jids'] = other === null ? [jid] : [jid, other]
    return { jids, isPerson: !jids.some((name) => name && isMe(name)), hasWritten: await hasWritten(phone) }
  }

  function lookUp(phone: string) {
    const identifier = parseIdentifier(phone)
    if (!identifier) return
    const current = chats
    current.set(phone, 'coming')
    look(toJid(identifier), phone).then(
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
  }

  function recipient({ jids, isPerson, hasWritten: wrote }: Chat): Recipient {
    const chat = directory.chat(jids.flatMap((jid) => jid ?? []))
    return {
      isPerson,
      isKnown: wrote || (chat !== undefined && hasBegun(chat)),
      heardAt: chat && chat.heardAt > 0 ? chat.heardAt * SECOND : null,
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
      const chat = await look(bare(jid), identifierOf(jid))
      return { ...recipient(chat), jids: chat.jids }
    },
    isChat(phone, jid) {
      const chat = chats.get(phone)
      return chat !== undefined && chat !== 'coming' && chat.jids.includes(jid)
    },
    onFound(listener) {
      onFound = listener
    },
    clear() {
      chats = boundedCache(MAX_KNOWN)
    },
  }
}
