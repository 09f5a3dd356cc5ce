import { resetAdminKey } from './admin-key.ts'
import type { Command } from './command.ts'
import { exportDevice } from './instance-export.ts'
import { importDevice } from './instance-import.ts'
import { resumeDevice } from './instance-resume.ts'
import { listen } from './listen.ts'
import { rotateKey } from './secret-key.ts'
import { backupStoreCommand, checkStoreCommand } from './store.ts'
import { copyStoreCommand, reopenStoreCommand } from './store-copy.ts'
import { createWorkspace, listWorkspaces, setWorkspace } from './workspace.ts'

export const COMMANDS: readonly Command[] = [
  resetAdminKey,
  createWorkspace,
  setWorkspace,
  listWorkspaces,
  importDevice,
  exportDevice,
  resumeDevice,
  rotateKey,
  checkStoreCommand,
  backupStoreCommand,
  copyStoreCommand,
  reopenStoreCommand,
  listen,
]
