/** `workspace create`, `workspace list`. */
import { randomUUID } from 'node:crypto'
import type { StoredWorkspace } from '../account/records.ts'
import { hashOf, newAdminKey, newWebhookSecret } from '../account/secrets.ts'
import { newWebhookSettings } from '../account/webhook-settings.ts'
import { command, UsageError } from './command.ts'
import { NO_WORKSPACE, withStore } from './stored.ts'
import { allWorkspaces, writeWorkspace } from './workspaces.ts'

export const createWorkspace = command({
  name: 'workspace create',
  summary: 'Make another workspace, with its admin key',
  details: 'It prints the id and the admin key, once. Start the service again for it to count.',
  options: { name: { value: '<name>', about: 'its name, 1 to 100 characters', required: true } },
  async run({ config, options: { name = '' } }) {
    if (name.length < 1 || name.length > 100) throw new UsageError('--name has 1 to 100 characters.', 'workspace create')
    return withStore(config, async (stored) => {
      // The first one is the service's to make: it would find this one and make none, and nobody would have the key of `default`.
      if ((await allWorkspaces(stored)).length === 0) throw new Error(NO_WORKSPACE)
      const value = newAdminKey()
      const now = new Date()
      const dueAt = new Date(now)
      dueAt.setUTCFullYear(dueAt.getUTCFullYear() + 10)
      const record: StoredWorkspace = {
        id: randomUUID(),
        name,
        createdAt: now.getTime(),
        subscription: { status: 'active', trialEndsAt: null, dueAt: dueAt.getTime(), instanceSlots: config.instanceSlots },
        security: { requireApiKey: false, requireClientToken: false, allowlist: { enabled: false, entries: [] } },
        webhooks: newWebhookSettings(newWebhookSecret()),
        instancesUsed: 0,
        adminKeyHash: hashOf(value),
      }
      await writeWorkspace(stored, record, null)
      return `${record.id}\n${value}\nShown this once. Start the service again for it to count.\n`
    })
  },
})

export const listWorkspaces = command({
  name: 'workspace list',
  summary: 'List the workspaces: id, instances and slots, name',
  run: ({ config }) =>
    withStore(config, async (stored) => {
      const rows = (await allWorkspaces(stored)).map(({ record: { id, name, subscription, instancesUsed } }) => {
        return `${id}  ${`${instancesUsed}/${subscription.instanceSlots}`.padStart(7)}  ${name}\n`
      })
      return rows.join('')
    }),
})
