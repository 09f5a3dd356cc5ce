import { hashOf, newAdminKey } from '../account/credentials.ts'
import { command } from './command.ts'
import { withStore } from './stored.ts'
import { findWorkspace, replaceWorkspace } from './workspaces.ts'

export const resetAdminKey = command({
  name: 'admin-key reset',
  summary: 'Create a new admin key; the old one stops working immediately',
  details: 'The key is printed only once. A running service accepts it immediately.',
  options: { workspace: { value: '<id>', about: 'id of the workspace; the first one if omitted' } },
  async run({ config, options }) {
    if (config.adminKey !== null) throw new Error('The variable SVC_ADMIN_KEY sets the admin key; change the variable instead.')
    return withStore(config, async (stored) => {
      const value = newAdminKey()
      await replaceWorkspace(stored, await findWorkspace(stored, options.workspace), { adminKeyHash: hashOf(value) })
      return `${value}\nThis key is shown only once. The old key no longer works.\n`
    })
  },
})
