/**
 * Facts about the recipients of waiting messages, for the rules of send safety. The jids of a destination take a look-up, whose result is kept; the
 * facts of the chat are then read from the account's directory, which is in memory.
 */
import { SECOND } from '../../../../src/domain/clock.ts'
import { parseIdentifier, toJid } from '../../../../src/domain/ids.ts'
import { boundedCache } from '../../../../src/lib/bounded-cache.ts'
import { hasBegun } from '../../directory/chats.ts'
import type { ChatEntry } from '../../directory/entries.ts'
import { bare, chatKind, identifierOf } from '../../wire/jid.ts'
import type { Recipient } from './rules.ts'

/** More than a queue holds. */
const MAX_KNOWN = 2_000

export interface RecipientsDeps {
  directory: { ready(): Promise<void>; chat(jids: readonly string[]): ChatEntry | undefined }
  /** Returns the person's other jid (number or LID), if known. */
  otherName(jid: string): Promise<string | null>
  /** Whether the destination, in the form of the API, has ever written to the account. */
  hasWritten(phone: string): Promise<boolean>
  /** Whether the jid is the account itself, which may write to itself. */
  isMe(jid: string): boolean
  onError(error: unknown): void
}

interface Chat {
  jids: readonly [string, string?]
  isPerson: boolean
  /** Whether the person had written to the account when that was looked up. */
  hasWritten: boolean
}

export interface Recipients {
  /** Returns what is known of the destination of an item; undefined during the look-up, whose end is told to `onFound`. */
  of(phone: string): Recipient | undefined
  /** Looks up a chat by its jid. */
  at(jid: string): Promise<Recipient & Pick<Chat, 'jids'>>
  /** Whether the destination is this chat. False if it was not looked up. */
  isChat(phone: string, jid: string): boolean
  onFound(listener: (phone: string) => void): void
  /** Somebody wrote for the first time, or the account is another one. */
  clear(): void
}

export function createRecipients(deps: RecipientsDeps): Recipients {
  const { directory, otherName, hasWritten, isMe, onError } = deps
  /** Chats by destination, or the mark that a look-up runs. */
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
