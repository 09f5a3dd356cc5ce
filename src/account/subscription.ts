import { Failure } from '../domain/failures.ts'
import type { Subscription } from '../domain/workspace.ts'
import type { SubscriptionChange } from './account.ts'

/** Returns the subscription after a change. Throws `invalid_request` for a trial without an end. */
export function subscriptionAfter(current: Subscription, change: SubscriptionChange): Subscription {
  const { status = current.status, dueAt = current.dueAt, instanceSlots = current.instanceSlots } = change
  if (status !== 'trial') return { status, trialEndsAt: null, dueAt, instanceSlots }
  // A change to `trial` must state the end, even if a running trial already has one.
  const { trialEndsAt = change.status === undefined ? current.trialEndsAt : null } = change
  if (trialEndsAt === null)
    throw Failure.invalid({ path: 'trial_ends_at', message: 'must be a date and time while the status is trial' })
  return { status, trialEndsAt, dueAt, instanceSlots }
}
