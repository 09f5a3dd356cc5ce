import type { DashboardSessions } from '../../account/account.ts'
import { BLANKED_FIELDS, lackOf, lackSentence, type RightName, rightOf, SECRET_FIELDS } from '../../domain/dashboard-rights.ts'
import { Failure } from '../../domain/failures.ts'
import type { OpenSession } from '../session-checks.ts'

/** Throws if the session does not have the right. If `right` is undefined, only a session of the admin key passes. */
export function checkRight({ key }: Pick<OpenSession, 'key'>, right: RightName | undefined): void {
  const lack = lackOf(key === null ? null : key.scopes, right)
  if (lack === undefined) return
  const message = lackSentence(lack)
  if (lack === 'admin key') throw new Failure('not_allowed', { message })
  throw new Failure('insufficient_scope', { message, details: { required_scope: lack } })
}

/**
 * Checks the session and its right once more, because the key may have been revoked or narrowed while a body arrived.
 */
export function checkAgain({ session }: OpenSession, operation: string, sessions: DashboardSessions): void {
  const key = sessions.isOpen(session) ? sessions.keyOf(session) : undefined
  if (key === undefined) throw new Failure('unauthorized')
  checkRight({ key }, rightOf(operation))
}

export const may = ({ key }: Pick<OpenSession, 'key'>, right: RightName): boolean =>
  lackOf(key === null ? null : key.scopes, right) === undefined

export function withoutSecrets(answer: unknown, open: Pick<OpenSession, 'key'>, operation: string): unknown {
  if (open.key === null) return answer
  const blanked = BLANKED_FIELDS[operation] ?? {}
  const lacks = (fields: Readonly<Record<string, RightName>>, name: string) =>
    Object.hasOwn(fields, name) && !may(open, fields[name]!)
  const isHidden = (name: string) => lacks(SECRET_FIELDS, name)
  const shown = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shown)
    if (!isPlain(value)) return value
    const fields = Object.entries(value).filter(([name, field]) => !isHidden(name) || isCount(field))
    return Object.fromEntries(fields.map(([name, field]) => [name, lacks(blanked, name) ? null : shown(field)]))
  }
  return shown(answer)
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** Numbers reveal no secret: in the list of instances, for example, a number counts the webhooks. */
const isCount = (value: unknown) => typeof value === 'number'
