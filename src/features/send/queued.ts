/**
 * Declares a queued send with the optional fields that every send has. The declaration states which of these fields
 * have no effect in its kind of message, and why.
 */
import { z } from 'zod'
import { DAY, systemClock } from '../../domain/clock.ts'
import type { Identifier, UserIdentifier } from '../../domain/ids.ts'
import { send as declare, type Issue, type Route, type Says } from '../endpoint.ts'
import { identifier, integer, messageId, moment, queryInteger } from '../fields.ts'

const MAX_SECONDS = 15
const MAX_MENTIONS = 500
const MAX_DAYS_AHEAD = 30

const flag = z.boolean()
const people = z.array(identifier(['user'])).max(MAX_MENTIONS)

/** A boolean in a query. Upper and lower case are accepted, because several languages write booleans with a capital. */
export const queryBoolean = z.preprocess((value) => {
  const word = typeof value === 'string' ? value.toLowerCase() : value
  return word === 'true' ? true : word === 'false' ? false : value
}, flag)

/** Time before which a message is not sent. The maximum is checked with the clock of this machine. */
const sendAt = moment.refine((at) => at <= systemClock.now() + MAX_DAYS_AHEAD * DAY, {
  message: `must be at most ${MAX_DAYS_AHEAD} days ahead`,
})

const queryPeople = z.preprocess((value) => (typeof value === 'string' ? value.split(',') : value), people)

const DESCRIPTIONS = {
  reply_to_message_id: 'Id of a message of the same chat to quote; ignored for channels.',
  mentions: 'People to mention; each must appear in the text as `@<number>`. Ignored for channels.',
  mention_all: 'Mention every participant; groups only, ignored elsewhere.',
  delay_message: "Seconds to wait before sending; replaces the instance's random interval.",
  send_at:
    `Time before which the message is not sent, at most ${MAX_DAYS_AHEAD} days ahead. It waits in the queue, where it holds up no other message, and is ` +
    'then sent like a message that is queued at that time. A time in the past has no effect.',
  delay_typing: 'Seconds of `typing...` (`recording...` for voice notes); ignored for channels and status.',
}

export type SharedField = keyof typeof DESCRIPTIONS
export const SHARED_FIELDS = Object.keys(DESCRIPTIONS) as SharedField[]

const IN_BODY = {
  reply_to_message_id: messageId.optional(),
  mentions: people.optional(),
  mention_all: flag.default(false),
  delay_message: integer(0, MAX_SECONDS).optional(),
  send_at: sendAt.optional(),
  delay_typing: integer(0, MAX_SECONDS).default(0),
}
type SharedShape = typeof IN_BODY

/**
 * The optional fields in a query. Numbers and flags are text in a query, and people are separated by commas or in
 * repeated parameters.
 */
const IN_QUERY = {
  reply_to_message_id: messageId.optional(),
  mentions: queryPeople.optional(),
  mention_all: queryBoolean.default(false),
  delay_message: queryInteger(0, MAX_SECONDS).optional(),
  send_at: sendAt.optional(),
  delay_typing: queryInteger(0, MAX_SECONDS).default(0),
} as unknown as SharedShape

/** Values for fields that have no effect, so that later code need not check whether a field applies. */
const NEUTRAL = { reply_to_message_id: undefined, mentions: undefined, mention_all: false, delay_typing: 0 }

export type Without = Partial<Record<keyof typeof NEUTRAL, string>>

/**
 * Returns why the optional fields have no effect in an action on another message. `what` names the action, such as "a
 * reaction".
 */
export const actOf = (what: string): Without => ({
  reply_to_message_id: `${what} quotes nothing`,
  mentions: `${what} has no text`,
  mention_all: `${what} mentions nobody`,
  delay_typing: `nobody types for ${what}`,
})

export const WITHOUT_EFFECT = 'No effect: '

function shared(route: Route, without: Without): SharedShape {
  const shape = Object.entries(/^(GET|DELETE) /.test(route) ? IN_QUERY : IN_BODY).map(([name, field]) => {
    const reason = without[name as keyof Without]
    const neutral = NEUTRAL[name as keyof Without]
    if (reason === undefined) return [name, field.meta({ description: DESCRIPTIONS[name as SharedField] })]
    return [name, (field as z.ZodType).transform(() => neutral).meta({ description: `${WITHOUT_EFFECT}${reason}.` })]
  })
  return Object.fromEntries(shape)
}

type Fields<I extends z.ZodRawShape> = I & SharedShape

interface SendSays<I extends z.ZodRawShape> extends Omit<Says<Fields<I>>, 'input'> {
  input: I
  /**
   * Returns the text that must contain the mentions. `later`: the text is known only when the message is sent. Absent
   * if the message has no text for mentions.
   */
  words?: ((input: z.output<z.ZodObject<Fields<I>>>) => string | undefined) | 'later'
  without?: Without
  about?: keyof I & string
  to?: Identifier
}

export function send<const Id extends string, I extends z.ZodRawShape>(
  id: Id,
  route: Route,
  { input, words, without = {}, check, ...says }: SendSays<I>,
) {
  const lacking = words === undefined ? { mentions: 'this message has no text to find them in', ...without } : without
  const fields: Fields<I> = { ...input, ...shared(route, lacking) }
  return declare<Id, Fields<I>>(id, route, {
    ...says,
    input: fields,
    check(given, issue) {
      if (typeof words === 'function') checkMentions(mentionsIn(given), words(given) ?? '', issue)
      check?.(given, issue)
    },
  })
}

export const mentionsAppear = (given: unknown, words: string, issue: Issue): void =>
  checkMentions(mentionsIn(given), words, issue)

const mentionsIn = (given: unknown) => (given as { mentions?: readonly UserIdentifier[] }).mentions ?? []

function checkMentions(mentions: readonly UserIdentifier[], text: string, issue: Issue): void {
  if (mentions.length === 0) return
  // The text is scanned once, because 500 searches in the longest text would be slow.
  const named = new Set(Array.from(text.matchAll(/@(\d+)/g), ([, digits]) => digits))
  for (const [index, { digits }] of mentions.entries())
    if (!named.has(digits)) issue(`mentions.${index}`, `must appear in the text as @${digits}`)
}
