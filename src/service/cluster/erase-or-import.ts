import type { Directory } from '../../directory/directory.ts'
import { eraseClaimed, type LeftoverOptions } from '../../storage/erase.ts'
import type { InstanceStarts } from '../instance-starts.ts'

export interface EraseOrImportDeps extends LeftoverOptions {
  directory: Pick<Directory, 'betweenImports'>
  starts: Pick<InstanceStarts, 'takeImports'>
}

/**
 * Finishes what another service has begun with instances that this one has claimed and that have no configuration: their
 * deletion, or their import. Rejects if that must be tried again.
 */
export async function eraseOrImport(instances: readonly string[], { directory, starts, ...options }: EraseOrImportDeps) {
  // An import may write the records of an instance that was left by an earlier one.
  const erase = (some: readonly string[]) => directory.betweenImports(() => eraseClaimed(some, options))
  const imports = await erase(instances)
  if (imports.length === 0) return
  // Since the service that had begun the import has ended, nobody else may have got the home.
  await starts.takeImports()
  if ((await erase(imports)).length > 0) throw new Error('An imported device could not be made an instance yet.')
}
