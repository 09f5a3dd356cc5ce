/** What is told of a place that is not there for the account, by the field that names it: of every operation in `not-there.test.ts`. */
import type { FailureCode } from '../../src/domain/failures.ts'

export const ABOUT: readonly { field: string; code: FailureCode }[] = [
  { field: 'group_id', code: 'group_not_found' },
  { field: 'community_id', code: 'group_not_found' },
  { field: 'newsletter_id', code: 'newsletter_not_found' },
]

export const notThere = (field: string): FailureCode => ABOUT.find((each) => each.field === field)!.code
