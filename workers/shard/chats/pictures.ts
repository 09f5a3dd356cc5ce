/**
 * Where the pictures of chats and people lie, as far as the network has told it: `photo` and `sender_photo` of received events. An event
 * has what is known when it is made; what is not known is asked for behind it, and the chat's next event has it. In memory only: after a
 * restart it is asked again, which costs less than keeping addresses that expire.
 *
 * That we ask at all: WhatsApp Web asks for the same previews, of every chat it shows. Ours are fewer, so that an account never looks like
 * one that collects pictures: one at a time and a second apart; only of chats somebody wrote in (what the account itself sends asks for
 * nothing, or a campaign would look up thousands of strangers); so many an hour, and of authors in groups only a handful; none while the
 * network restricts the account, and none for an hour once it says that it is too much. An answer, also that there is no picture or that
 * we may not see it, counts until its address expires, else for a day.
 *
 * The picture of a channel stands in its description, which `names.ts` asks for, in a line of its own. Here such a question is counted and
 * paced like the others, then handed over: its answer is not waited for, and a refusal, also that it is too much, is not heard of. A channel
 * that was not described is asked about again after a day.
 */
import type { Logger } from 'pino'
import { type Clock, DAY, HOUR, SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import { actionFailure, networkCode } from '../connection/failures.ts'
import { pause, within } from '../connection/within.ts'
import type { Shown } from '../translate/inbound/context.ts'
import { bare, type ChatKind, chatKind, jidsOf } from '../wire/jid.ts'
import { object, textOf } from '../wire/json.ts'
import { createBudget } from './picture-budget.ts'
import type { Session } from './session.ts'

/** Where pictures of channels lie: their description has the path alone. */
export const PICTURE_HOST = 'pps.whatsapp.net'

export interface Pictures {
  attach(session: Session): void
  /** From memory. A person is known by all its jids. */
  of(jids: readonly string[]): string | null
  /** Asks for it later, unless the answer is known or there is too much to ask. */
  wonder(jids: readonly string[], shown: Shown): void
  /** The network says that it is another. */
  changed(jid: string): Promise<void>
  /** The network's description of a channel, whoever asked for it. */
  learnNewsletter(jid: string, description: unknown): void
  /** When the account is unlinked. */
  clear(): void
}

export interface PictureDeps {
  clock: Clock
  log: Logger
  /** Where addresses of channel pictures begin: their description has the path alone. */
  host: string
  /** Its answer comes by `learnNewsletter`. */
  askNewsletter(jid: string): void
}

interface Entry {
  url: string | null
  /** Epoch ms: the address is of no use later. */
  endsAt: number
  /** Epoch ms: not asked again before. */
  askAgainAt: number
  /** The answer is there, and not only asked for. */
  isAnswered: boolean
}

interface Question {
  jid: string
  entry: Entry
}

/** What is to be asked in one session. */
interface Line {
  session: Session
  waiting: Question[]
  isWorking: boolean
}

/** A person counts twice, by number and by LID. */
const MAX_KNOWN = 4_000
/** More are dropped: their next event asks again. */
const MAX_WAITING = 50
/** From one question to the next, in ms. */
const PACE = SECOND
const DEADLINE = 20 * SECOND
const PER_HOUR = { chat: 200, author: 10 } satisfies Record<Shown, number>
const PICTURED: ReadonlySet<ChatKind> = new Set(['user', 'group', 'newsletter'])
/** No picture (404), not ours to see (401, 403). */
const NONE = new Set([401, 403, 404])
const TOO_MUCH = 429
/** The contract's bound; a cut address leads nowhere. */
const MAX_LENGTH = 2_048

export function createPictures({ clock, log, host, askNewsletter }: PictureDeps): Pictures {
  const known = boundedCache<string, Entry>(MAX_KNOWN)
  const budgets = {
    chat: createBudget(clock, PER_HOUR.chat, HOUR),
    author: createBudget(clock, PER_HOUR.author, HOUR),
  } satisfies Record<Shown, unknown>
  let line: Line | null = null
  let lastAskedAt = Number.NEGATIVE_INFINITY
  let quietUntil = 0

  /** By any of the names, and from then on by all of them. */
  function find(jids: readonly string[]): Entry | undefined {
    const entry = jids.map((jid) => known.get(jid)).find((found) => found !== undefined)
    if (entry) keep(jids, entry)
    return entry
  }

  function keep(jids: readonly string[], entry: Entry) {
    for (const jid of jids) known.set(jid, entry)
  }

  /** An answer that is still to come then finds nobody: it may be from before. */
  function forget(entry: Entry | undefined) {
    if (!entry) return
    for (const [jid, other] of known) if (other === entry) known.delete(jid)
  }

  function answer(entry: Entry, given: string | null | undefined) {
    const now = clock.now()
    const url = usable(given)
    const expiresAt = (url === null ? null : expiryOf(url)) ?? now + DAY
    // An address that is about to expire, or has, is no reason to ask with every event.
    Object.assign(entry, { url, endsAt: expiresAt, askAgainAt: Math.max(expiresAt, now + HOUR), isAnswered: true })
  }

  async function ask(from: Session, { jid, entry }: Question) {
    if (chatKind(jid) === 'newsletter') return askNewsletter(jid)
    try {
      answer(entry, await within(from, DEADLINE, from.sock.profilePictureUrl(jid, 'preview')))
    } catch (error) {
      const code = networkCode(error)
      if (code !== null && NONE.has(code)) return answer(entry, null)
      if (actionFailure(error).code === 'instance_not_connected') throw error
      log.info({ err: error, chat: chatKind(jid) }, 'the picture of a chat is not known')
      if (code !== TOO_MUCH) return void Object.assign(entry, { askAgainAt: clock.now() + HOUR, isAnswered: true })
      quietUntil = clock.now() + HOUR
      throw error
    }
  }

  async function take(from: Session, question: Question) {
    try {
      // A clock that was set back makes nobody wait longer.
      await pause(from, Math.min(PACE, lastAskedAt + PACE - clock.now()))
      // Somebody may have asked what a channel is meanwhile.
      if (question.entry.isAnswered) return
      if (!from.isOpen) throw new Failure('instance_not_connected')
      lastAskedAt = clock.now()
      await ask(from, question)
    } catch (error) {
      forget(question.entry)
      throw error
    }
  }

  /** Until nothing waits, or the rest cannot be asked any more; that is forgotten, so that later events ask. */
  async function work(current: Line) {
    const { session, waiting } = current
    current.isWorking = true
    try {
      for (let next = waiting.shift(); next; next = waiting.shift()) await take(session, next)
    } finally {
      current.isWorking = false
      drop(current)
    }
  }

  function drop({ waiting }: Line) {
    for (const { entry } of waiting.splice(0)) forget(entry)
  }

  async function changed(jid: string) {
    forget(known.get(bare(jid)))
    // It may be told by the one name and known by the other.
    if (line) for (const each of jidsOf(await line.session.identity.person(jid))) forget(known.get(each))
  }

  return {
    attach(next) {
      if (line) drop(line)
      line = { session: next, waiting: [], isWorking: false }
    },
    changed,

    of(jids) {
      const entry = find(jids)
      return entry && clock.now() < entry.endsAt ? entry.url : null
    },

    wonder(jids, shown) {
      const now = clock.now()
      const [jid] = jids
      const entry = find(jids)
      if (!jid || !PICTURED.has(chatKind(jid)) || (entry && now < entry.askAgainAt)) return
      if (!line?.session.isOpen || line.session.isRestricted() || now < quietUntil) return
      if (line.waiting.length >= MAX_WAITING || !budgets[shown].take()) return
      const asked: Entry = { url: null, endsAt: 0, askAgainAt: now + DAY, isAnswered: false }
      keep(jids, asked)
      line.waiting.push({ jid, entry: asked })
      if (line.isWorking) return
      work(line).catch((error) => log.info({ err: error }, 'pictures of chats are asked for later'))
    },

    learnNewsletter(jid, description) {
      const { preview, picture } = object(object(description).thread_metadata)
      const entry = find([bare(jid)]) ?? { url: null, endsAt: 0, askAgainAt: 0, isAnswered: false }
      keep([bare(jid)], entry)
      answer(entry, urlOf(preview, host) ?? urlOf(picture, host))
    },

    clear() {
      if (line) drop(line)
      known.clear()
    },
  }
}

const usable = (url: string | null | undefined): string | null =>
  url && url.length <= MAX_LENGTH && /^https?:/i.test(url) && URL.canParse(url) ? url : null

/** Epoch ms: the media hosts' signed addresses carry their end as `oe`, epoch seconds in hexadecimal. */
function expiryOf(url: string): number | null {
  const seconds = new URL(url).searchParams.get('oe') ?? ''
  return /^[0-9a-f]{1,10}$/i.test(seconds) ? Number.parseInt(seconds, 16) * SECOND : null
}

/** The network gives the path, seldom the whole address. */
function urlOf(picture: unknown, host: string): string | null {
  const { url, direct_path } = object(picture)
  const path = textOf(direct_path)
  return textOf(url) || (path?.startsWith('/') ? `https://${host}${path}` : null)
}
