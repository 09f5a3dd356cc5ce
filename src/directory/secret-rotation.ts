/**
 * Rotation of a webhook secret: the new one signs immediately. Without a grace time the previous secret stops signing, even if an earlier rotation
 * would have kept it longer; with a grace time both secrets sign until it ends. A pure function.
 */
import { SECOND } from '../domain/clock.ts'
import type { InstanceRecord } from './instance-object.ts'

/** Returns the previous secret while it still signs. `now`: milliseconds since the epoch. */
export const previousSecret = ({ webhooks }: InstanceRecord, graceSeconds: number, now: number) => ({
  previousSecret: graceSeconds === 0 ? undefined : { secret: webhooks.secret, until: now + graceSeconds * SECOND },
})

export const withNewSecret = (record: InstanceRecord, secret: string, graceSeconds: number, now: number): InstanceRecord => ({
  ...record,
  ...previousSecret(record, graceSeconds, now),
  webhooks: { ...record.webhooks, secret },
})
