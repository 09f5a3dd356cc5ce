/**
 * Maps keys to rows of the table. To save space, the key `instance:<uuid>:rest` is in the row with the scope `<uuid>`
 * and the key `rest`. The scope of all other keys is the uuid of zeros.
 *
 * The rows of instances sort in the order of their keys. An interval of keys is therefore at most one interval of these
 * rows and one of the other rows.
 */
import type { CountOptions, RangeOptions } from '../../contract.ts'

export const NO_INSTANCE = '00000000-0000-0000-0000-000000000000'

export interface Place {
  scope: string
  key: string
}

export interface Interval {
  from: Place
  to: Place
}

const PREFIX = 'instance:'
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const OF_INSTANCE = new RegExp(`^instance:(${UUID}):(.*)$`)
const BELOW = '\x01'
const ABOVE = '\x7f'
const FIRST: Place = { scope: '00000000-0000-0000-0000-000000000001', key: '' }
const END: Place = { scope: 'ffffffff-ffff-ffff-ffff-ffffffffffff', key: ABOVE }

export function placeOf(key: string): Place {
  const [, scope, rest] = OF_INSTANCE.exec(key) ?? []
  return scope === undefined || scope === NO_INSTANCE ? { scope: NO_INSTANCE, key } : { scope, key: rest! }
}

export const keyOf = ({ scope, key }: Place): string => (scope === NO_INSTANCE ? key : `${PREFIX}${scope}:${key}`)

const isBefore = (one: Place, other: Place) => one.scope < other.scope || (one.scope === other.scope && one.key < other.key)

const endOf = (prefix: string) =>
  prefix === '' ? ABOVE : `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`

/** Returns a bound with the same effect, without characters that PostgreSQL could refuse (NUL) or order differently. */
function clean(bound: string): string {
  const at = bound.search(/[^!-~]/)
  return at === -1 ? bound : bound.slice(0, at) + (bound.charCodeAt(at) < 0x21 ? BELOW : ABOVE)
}

function firstFrom(bound: string): Place {
  if (!bound.startsWith(PREFIX)) return bound < PREFIX ? FIRST : END
  const rest = bound.slice(PREFIX.length)
  const found = placeFrom(rest)
  return isBefore(found, FIRST) ? FIRST : found
}

const lowest = (at: number) => NO_INSTANCE[at]!
const highest = (at: number) => END.scope[at]!
const filled = (head: string, by: (at: number) => string) =>
  head + Array.from({ length: NO_INSTANCE.length - head.length }, (_, i) => by(head.length + i)).join('')

function placeFrom(text: string): Place {
  for (let at = 0; at < NO_INSTANCE.length; at++) {
    const head = text.slice(0, at)
    const found = text[at]
    if (found === undefined) return { scope: filled(head, lowest), key: '' }
    const allowed = lowest(at) === '-' ? '-' : '0123456789abcdef'
    if (allowed.includes(found)) continue
    const next = [...allowed].find((each) => each > found)
    // No uuid has this character at this position. If a higher digit exists, the next uuid is `head`, that digit and
    // then the lowest characters. If none exists, all uuids that begin with `head` sort before `text`.
    return next === undefined ? { scope: filled(head, highest), key: ABOVE } : { scope: filled(head + next, lowest), key: '' }
  }
  const scope = text.slice(0, NO_INSTANCE.length)
  const separator = text[NO_INSTANCE.length]
  if (separator === ':') return { scope, key: text.slice(NO_INSTANCE.length + 1) }
  return separator === undefined || separator < ':' ? { scope, key: '' } : { scope, key: ABOVE }
}

/**
 * Returns at most two intervals of rows, with the keys from `first` (inclusive) to `end` (exclusive). Both may be any
 * string.
 */
function intervals(prefix: string, first: string, end: string): Interval[] {
  if (/[^!-~]/.test(prefix)) return []
  const [from, to] = [clean(first), clean(end)]
  if (from >= to) return []
  const ofInstances = { from: firstFrom(from), to: firstFrom(to) }
  const [, scope = NO_INSTANCE] = OF_INSTANCE.exec(prefix) ?? []
  const all = scope === NO_INSTANCE ? [{ from: { scope: NO_INSTANCE, key: from }, to: { scope: NO_INSTANCE, key: to } }] : []
  return isBefore(ofInstances.from, ofInstances.to) ? [...all, ofInstances] : all
}

const later = (one: string, other: string | undefined) => (other !== undefined && other > one ? other : one)
const earlier = (one: string, other: string | undefined) => (other !== undefined && other < one ? other : one)

export function intervalsOfRange(prefix: string, { after, reverse = false }: RangeOptions): Interval[] {
  if (reverse) return intervals(prefix, prefix, earlier(endOf(prefix), after))
  return intervals(prefix, later(prefix, after === undefined ? undefined : after + BELOW), endOf(prefix))
}

export const intervalsOfCount = (prefix: string, { from, before }: CountOptions): Interval[] =>
  intervals(prefix, later(prefix, from), earlier(endOf(prefix), before))
