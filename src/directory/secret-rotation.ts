/**
 * The rotation of a webhook secret: the new one signs at once. Without a grace time the previous one stops signing, however long an earlier
 * rotation meant to keep it; with one, both sign until it is over (shared/api/webhook-config.md). Pure.
 */
import { SECOND } from '../domain/clock.ts'
import type { InstanceRecord } from './instance-object.ts'

/** `now`: milliseconds since 1970. */
export const previousSecret = ({ webhooks }: InstanceRecord, graceSeconds: number, now: number) => ({
  previousSecret: graceSeconds === 0 ? undefined : { secret: webhooks.secret, until: now + graceSeconds * SECOND },
})

export const withNewSecret = (record: InstanceRecord, secret: string, graceSeconds: number, now: number): InstanceRecord => ({
  ...record,
  ...previousSecret(record, graceSeconds, now),
  webhooks: { ...record.webhooks, secret },
})
