/** What the network keeps an account from, as the API shows it. */
import { iso } from './clock.ts'
import type { Restriction } from './instance.ts'

export interface RestrictionObject {
  kind: Restriction['kind']
  /** ISO-8601; null: the network does not say. */
  until: string | null
}

export const renderRestriction = (restriction: Restriction | null): RestrictionObject | null =>
  restriction && { kind: restriction.kind, until: restriction.until === null ? null : iso(restriction.until) }
