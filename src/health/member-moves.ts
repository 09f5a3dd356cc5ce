import type { MemberMoves } from '../domain/dashboard.ts'
import { MOVE_REASONS } from '../domain/nodes.ts'
import { keyOf, type Numbers } from '../metrics/tally.ts'

/** Numbers of instances that a member of a cluster gave and took since its start. */
export function memberMoves(numbers: Numbers): MemberMoves {
  const of = (key: string) => numbers.get(key) ?? 0
  const claimed = (after: string) => of(keyOf('svc_homes_claimed_total', { after }))
  const given = MOVE_REASONS.map((reason) => of(keyOf('svc_moves_total', { reason, result: 'given' })))
  return {
    given: given.reduce((sum, count) => sum + count, 0),
    taken: claimed('move') + claimed('stop'),
    taken_over: claimed('failure'),
  }
}
