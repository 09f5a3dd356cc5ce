/**
 * Keeps the URLs of the pictures of chats and people in memory. An event contains the URL that is known when the event
 * is created. An unknown URL is queried after the event, for the next one. The queries are few, so that the account
 * does not look as if it collected pictures: at most one per second, with a limit per hour. During a restriction no
 * query is sent, and for an hour after a rate limit none is added.
 */
import type { Logger } from 'pino'
import { type Clock, DAY, HOUR, SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import { networkCodeOf } from '../connection/failures.ts'
import { pause } from '../connection/within.ts'
import type { Shown } from '../translate/inbound/context.ts'
import { bare, type ChatKind, chatKind, jidsOf } from '../wire/jid.ts'
import { object } from '../wire/json.ts'
import { pictureUrl } from '../wire/newsletters.ts'
import { createPictureBudget } from './picture-budget.ts'
import { pictureOf } from './picture-of.ts'
import type { Session } from './session.ts'

/** Host of the pictures. The metadata of a channel usually contains only the path of its picture. */
export const PICTURE_HOST = 'pps.whatsapp.net'

export interface Pictures {
  attach(session: Session): void
  of(jids: readonly string[]): string | null
  /**
   * Queries the picture later. Does nothing if the chat has no picture, the query was made recently, no session is
   * open, the account is restricted, or a limit is reached.
   */
  prefetch(jids: readonly string[], shown: Shown): void
  changed(jid: string): Promise<void>
  /** Stores the picture in the metadata of a channel, which any query may have fetched. */
  learnNewsletter(jid: string, description: unknown): void
  clear(): void
}

export interface PictureDeps {
  clock: Clock
  log: Logger
  host: string
  askNewsletter(jid: string): void
}

interface Entry {
  url: string | null
  /** Time in epoch ms after which the URL is invalid. */
  endsAt: number
  /** Time in epoch ms before which the network is not queried about the picture again. */
  askAgainAt: number
  isAnswered: boolean
}

interface Question {
  jid: string
  entry: Entry
}

interface Line {
  session: Session
  waiting: Question[]
  isWorking: boolean
}

/** Maximum number of cached entries. A person counts twice, by number and by LID. */
const MAX_KNOWN = 4_000
/**
 * Maximum number of queries that wait. Further queries are dropped, and the next event of the chat causes a new one.
 */
const MAX_WAITING = 50
/** Minimum time between two queries, in ms. */
const PACE = SECOND
const PER_HOUR = { chat: 200, author: 10 } satisfies Record<Shown, number>
const PICTURED: ReadonlySet<ChatKind> = new Set(['user', 'group', 'newsletter'])
const TOO_MUCH = 429
/** Longest URL that is used. A longer one is ignored, because a truncated URL would not work. */
const MAX_LENGTH = 2_048

export function createPictures({ clock, log, host, askNewsletter }: PictureDeps): Pictures {
  const { known, find, keep, forget, answer } = createAnswers(clock)
  const budgets = {
    chat: createPictureBudget(clock, PER_HOUR.chat, HOUR),
    author: createPictureBudget(clock, PER_HOUR.author, HOUR),
  } satisfies Record<Shown, unknown>
  let line: Line | null = null
  let lastAskedAt = Number.NEGATIVE_INFINITY
  let quietUntil = 0

  async function ask(from: Session, { jid, entry }: Question) {
    if (chatKind(jid) === 'newsletter') return askNewsletter(jid)
    try {
      answer(entry, await pictureOf({ ask: from.ask, session: from }, jid, 'preview'))
    } catch (error) {
      if (error instanceof Failure && error.code === 'instance_not_connected') throw error
      log.info({ err: error, chat: chatKind(jid) }, 'the picture of a chat could not be fetched')
      if (networkCodeOf(error) !== TOO_MUCH)
        return void Object.assign(entry, { askAgainAt: clock.now() + HOUR, isAnswered: true })
      quietUntil = clock.now() + HOUR
      throw error
    }
  }

  async function take(from: Session, question: Question) {
    try {
      // The pause is not longer than `PACE`, whatever the clock says.
      await pause(from, Math.min(PACE, lastAskedAt + PACE - clock.now()))
      // The metadata of the channel may have arrived while this query was waiting.
      if (question.entry.isAnswered) return
      if (!from.isOpen) throw new Failure('instance_not_connected')
      if (from.isRestricted()) throw new Failure('shadow_ban')
      lastAskedAt = clock.now()
      await ask(from, question)
    } catch (error) {
      forget(question.entry)
      throw error
    }
  }

  /** Sends the waiting queries. A query that cannot be sent is dropped. */
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
    // The notice may name the person by the number and the cache by the LID, or the other way round.
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

    prefetch(jids, shown) {
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
      work(line).catch((error) =>
        log.info({ err: error }, 'pictures of chats could not be fetched; they are requested again later'),
      )
    },

    learnNewsletter(jid, description) {
      const { preview, picture } = object(object(description).thread_metadata)
      const entry = find([bare(jid)]) ?? { url: null, endsAt: 0, askAgainAt: 0, isAnswered: false }
      keep([bare(jid)], entry)
      answer(entry, pictureUrl(preview, host) ?? pictureUrl(picture, host))
    },

    clear() {
      if (line) drop(line)
      known.clear()
    },
  }
}

function createAnswers(clock: Clock) {
  const known = boundedCache<string, Entry>(MAX_KNOWN)

  function keep(jids: readonly string[], entry: Entry) {
    for (const jid of jids) known.set(jid, entry)
  }

  return {
    known,
    keep,
    /** Returns the entry of any of these jids, and stores it under all of them, so that each one finds it later. */
    find(jids: readonly string[]): Entry | undefined {
      const entry = jids.map((jid) => known.get(jid)).find((found) => found !== undefined)
      if (entry) keep(jids, entry)
      return entry
    },
    /** Removes an entry. The answer of a running query is then ignored, because it may be older than the change. */
    forget(entry: Entry | undefined) {
      if (!entry) return
      for (const [jid, other] of known) if (other === entry) known.delete(jid)
    },
    answer(entry: Entry, given: string | null | undefined) {
      const now = clock.now()
      const url = usable(given)
      const expiresAt = (url === null ? null : expiryOf(url)) ?? now + DAY
      // The URL is not queried again for at least an hour. Otherwise URLs that expire soon would cause a query per
      // event.
      Object.assign(entry, { url, endsAt: expiresAt, askAgainAt: Math.max(expiresAt, now + HOUR), isAnswered: true })
    },
  }
}

const usable = (url: string | null | undefined): string | null =>
  url && url.length <= MAX_LENGTH && /^https?:/i.test(url) && URL.canParse(url) ? url : null

/**
 * Returns the time in epoch ms at which a signed URL expires. The URL contains it in `oe`, in hexadecimal epoch
 * seconds.
 */
function expiryOf(url: string): number | null {
  const seconds = new URL(url).searchParams.get('oe') ?? ''
  return /^[0-9a-f]{1,10}$/i.test(seconds) ? Number.parseInt(seconds, 16) * SECOND : null
}
