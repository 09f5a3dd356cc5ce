/**
 * Rotation of a webhook secret: the new secret signs immediately. With a grace time, the previous secret also signs
 * until that time ends. Without a grace time, only the new secret signs, even if the grace time of an earlier rotation
 * has not ended.
 */
import { SECOND } from '../domain/clock.ts'
import type { InstanceRecord } from './instance-object.ts'

/** Returns the secret that also signs during the grace time. `now` is in epoch ms. */
export const previousSecret = ({ webhooks }: InstanceRecord, graceSeconds: number, now: number) => ({
  previousSecret: graceSeconds === 0 ? undefined : { secret: webhooks.secret, until: now + graceSeconds * SECOND },
})

export const withNewSecret = (record: InstanceRecord, secret: string, graceSeconds: number, now: number): InstanceRecord => ({
  ...record,
  ...previousSecret(record, graceSeconds, now),
  webhooks: { ...record.webhooks, secret },
})
