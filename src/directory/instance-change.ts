/** Applies a caller's change to the record of an instance. A pure function. */
import type { InstanceChange } from './directory.ts'
import type { InstanceRecord } from './instance-object.ts'
import { changeSettings } from './settings.ts'
import { type CheckUrl, changeWebhooks } from './webhooks.ts'

export interface Checks {
  checkUrl: CheckUrl
  checkProxy: CheckUrl
}

/**
 * Returns the changed record. Throws a `Failure` for an invalid change. `paths` selects whether the field names of the
 * `Failure` include the object that contains the field (`nested`) or not (`flat`).
 */
export function changedRecord(
  record: InstanceRecord,
  { name, settings, webhooks }: InstanceChange,
  { checkUrl, checkProxy }: Checks,
  paths: 'flat' | 'nested',
): InstanceRecord {
  const [atSettings, atWebhooks] = paths === 'nested' ? ['settings.', 'webhooks.'] : ['', '']
  return {
    ...record,
    name: name ?? record.name,
    settings: settings ? changeSettings(record.settings, settings, checkProxy, atSettings) : record.settings,
    webhooks: webhooks ? changeWebhooks(record.webhooks, webhooks, checkUrl, atWebhooks) : record.webhooks,
  }
}
