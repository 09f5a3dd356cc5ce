/** `admin-key reset`: replaces a lost admin key. */
import { hashOf, newAdminKey } from '../account/credentials.ts'
import { command } from './command.ts'
import { withStore } from './stored.ts'
import { findWorkspace, replaceWorkspace } from './workspaces.ts'

export const resetAdminKey = command({
  name: 'admin-key reset',
  summary: 'Make a new admin key; the old one is void at once',
  details: 'It prints the key, once. A service that runs takes it over at once.',
  options: { workspace: { value: '<id>', about: 'of this workspace; without it of the first one' } },
  async run({ config, options }) {
    if (config.adminKey !== null) throw new Error('SVC_ADMIN_KEY is set, so the environment owns the admin key; change it there.')
    return withStore(config, async (stored) => {
      const value = newAdminKey()
      await replaceWorkspace(stored, await findWorkspace(stored, options.workspace), { adminKeyHash: hashOf(value) })
      return `${value}\nShown this once. The old key is void.\n`
    })
  },
})
