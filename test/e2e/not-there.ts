/**
 * Lists the expected error code if a group, community or channel does not exist for the account, by the field that
 * names it. `not-there.test.ts` checks these codes.
 */
import type { FailureCode } from '../../src/domain/failures.ts'

export const ABOUT: readonly { field: string; code: FailureCode }[] = [
  { field: 'group_id', code: 'group_not_found' },
  { field: 'community_id', code: 'group_not_found' },
  { field: 'newsletter_id', code: 'newsletter_not_found' },
]

export const notThere = (field: string): FailureCode => ABOUT.find((each) => each.field === field)!.code
