/**
 * Lists the error code that is expected if a chat does not exist for the account, for each field that can name the
 * chat. `not-there.test.ts` checks this code for every operation.
 */
import type { FailureCode } from '../../src/domain/failures.ts'

export const ABOUT: readonly { field: string; code: FailureCode }[] = [
  { field: 'group_id', code: 'group_not_found' },
  { field: 'community_id', code: 'group_not_found' },
  { field: 'newsletter_id', code: 'newsletter_not_found' },
]

export const notThere = (field: string): FailureCode => ABOUT.find((each) => each.field === field)!.code
