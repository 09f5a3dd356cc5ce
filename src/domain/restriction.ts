import { iso } from './clock.ts'
import type { Restriction } from './instance.ts'

export interface RestrictionObject {
  kind: Restriction['kind']
  /** End of the restriction in ISO-8601; null if WhatsApp does not state it. */
  until: string | null
}

export const renderRestriction = (restriction: Restriction | null): RestrictionObject | null =>
  restriction && { kind: restriction.kind, until: restriction.until === null ? null : iso(restriction.until) }
