/** Every command of the operator, in the order of the help. */
import { resetAdminKey } from './admin-key.ts'
import type { Command } from './command.ts'
import { backupStoreCommand, checkStoreCommand } from './store.ts'
import { createWorkspace, listWorkspaces } from './workspace.ts'

export const COMMANDS: readonly Command[] = [
  resetAdminKey,
  createWorkspace,
  listWorkspaces,
  checkStoreCommand,
  backupStoreCommand,
]
