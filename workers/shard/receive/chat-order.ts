/**
 * What happens in a group comes in two kinds of stanzas, messages and notifications, which the library takes side by side; told as they
 * get done, a notice would overtake the text before it. So each enters here when it comes, and is told when those of its chat that came
 * before are done.
 */
import { SECOND } from '../../../src/domain/clock.ts'

/** The library drops some stanzas without a word (it ignores their author, or failed before it opened them): nobody waits longer for one. */
const LONGEST = 5 * SECOND

export interface Entry {
  /** Resolves when those before it are done, or have had their time. */
  turn(): Promise<void>
  /** Whatever came of it. Again is nothing. */
  done(): void
}

export interface ChatOrder {
  enter(chat: string): Entry
  /** For what needs no place of its own: resolves when those that are in these chats now are done, or have had their time. Undefined: none is. */
  before(chats: Iterable<string>): (() => Promise<void>) | undefined
  /** The session has ended: nobody waits for anybody. */
  end(): void
}

interface Stay {
  since: number
  left: Promise<void>
  leave(): void
}

export function createChatOrder(now: () => number, longest = LONGEST): ChatOrder {
  const chats = new Map<string, Set<Stay>>()

  function leave(chat: string, stay: Stay) {
    stay.leave()
    const stays = chats.get(chat)
    stays?.delete(stay)
    if (stays?.size === 0) chats.delete(chat)
  }

  function present(chat: string): Stay[] {
    const stays = [...(chats.get(chat) ?? [])]
    for (const stay of stays) if (now() - stay.since > longest) leave(chat, stay)
    return stays
  }

  async function allLeft(stays: readonly Stay[]): Promise<void> {
    if (stays.length === 0) return
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, longest)
    })
    await Promise.race([Promise.all(stays.map(({ left }) => left)), tooLong])
    clearTimeout(timer)
  }

  return {
    before(names) {
      const stays = [...new Set(names)].flatMap(present)
      return stays.length === 0 ? undefined : () => allLeft(stays)
    },
    enter(chat) {
      const before = present(chat)
      let left!: () => void
      const stay: Stay = { since: now(), left: new Promise((resolve) => (left = resolve)), leave: () => left() }
      chats.set(chat, (chats.get(chat) ?? new Set()).add(stay))
      return {
        turn: () => allLeft(before),
        done: () => leave(chat, stay),
      }
    },
    end() {
      for (const [chat, stays] of chats) for (const stay of [...stays]) leave(chat, stay)
    },
  }
}
