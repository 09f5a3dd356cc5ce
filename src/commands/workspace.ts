import { hashOf, newAdminKey } from '../account/credentials.ts'
import { newWorkspace } from '../account/new-workspace.ts'
import { printable, readName } from '../domain/display-text.ts'
import { DEFAULT_INSTANCE_SLOTS, MAX_INSTANCE_SLOTS } from '../domain/workspace.ts'
import { command, UsageError } from './command.ts'
import { NO_WORKSPACE, withStore } from './stored.ts'
import { allWorkspaces, findWorkspace, replaceWorkspace, writeWorkspace } from './workspaces.ts'

function slotsOf(text: string, name: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > MAX_INSTANCE_SLOTS)
    throw new UsageError(`--slots is ${JSON.stringify(text)}; it must be a whole number from 0 to ${MAX_INSTANCE_SLOTS}.`, name)
  return Number(text)
}

export const createWorkspace = command({
  name: 'workspace create',
  summary: 'Create another workspace, with its admin key',
  details: 'The id and the admin key are printed only once. A running service accepts the key immediately.',
  options: {
    name: { value: '<name>', about: 'name of the workspace, 1 to 100 characters', required: true },
    slots: { value: '<n>', about: 'maximum number of instances; if omitted, SVC_INSTANCE_SLOTS, or 50' },
  },
  async run({ config, options: { name = '', slots } }) {
    const read = readName(name, 100)
    if ('problem' in read) throw new UsageError(`--name ${read.problem}.`, 'workspace create')
    const ownSlots = slots === undefined ? undefined : slotsOf(slots, 'workspace create')
    return withStore(config, async (stored) => {
      // Only the service may create the first workspace. If this command created one, the service would not create
      // `default`, and nobody would have an admin key.
      const existing = await allWorkspaces(stored)
      if (existing.length === 0) throw new Error(NO_WORKSPACE)
      // The oldest workspace belongs to the operator, so a new one must not be older, even if the clock was set back.
      const now = Math.max(Date.now(), ...existing.map(({ record }) => record.createdAt + 1))
      const value = newAdminKey()
      const { instanceSlots } = config
      const record = newWorkspace({ name: read.name, now, adminKeyHash: hashOf(value), instanceSlots, ownSlots })
      await writeWorkspace(stored, record, null)
      return `${record.id}\n${value}\nThe key is shown only once.\n`
    })
  },
})

export const setWorkspace = command({
  name: 'workspace set',
  summary: 'Set the maximum number of instances of a workspace',
  details: [
    'A running service applies the change immediately. The number overrides SVC_INSTANCE_SLOTS; --slots default makes the workspace follow',
    'SVC_INSTANCE_SLOTS again. Existing instances above the number are kept; only new ones are refused.',
  ].join('\n'),
  options: {
    slots: { value: '<n>', about: 'maximum number of instances, 0 to 10000, or default', required: true },
    workspace: { value: '<id>', about: 'id of the workspace; the first one if omitted' },
  },
  async run({ config, options: { slots = '', workspace } }) {
    const own = slots === 'default' ? undefined : slotsOf(slots, 'workspace set')
    return withStore(config, async (stored) => {
      const found = await findWorkspace(stored, workspace)
      const instanceSlots = own ?? config.instanceSlots ?? DEFAULT_INSTANCE_SLOTS
      const subscription = { ...found.record.subscription, instanceSlots }
      await replaceWorkspace(stored, found, { subscription, hasOwnSlots: own !== undefined })
      return `${found.record.id} may have ${instanceSlots} instances; it has ${found.record.instancesUsed}.\n`
    })
  },
})

export const listWorkspaces = command({
  name: 'workspace list',
  summary: 'List the workspaces: id, instances and slots, name',
  run: ({ config }) =>
    withStore(config, async (stored) => {
      const rows = (await allWorkspaces(stored)).map(({ record: { id, name, subscription, instancesUsed } }) => {
        return `${id}  ${`${instancesUsed}/${subscription.instanceSlots}`.padStart(7)}  ${printable(name)}\n`
      })
      return rows.join('')
    }),
})
