import type { Directory } from '../../directory/directory.ts'
import { eraseClaimed, type LeftoverOptions } from '../../storage/erase.ts'
import type { Homes } from '../../storage/homes.ts'
import type { InstanceStarts } from '../instance-starts.ts'

export interface EraseOrImportDeps extends LeftoverOptions {
  homes: Pick<Homes, 'isOwn'>
  directory: Pick<Directory, 'betweenImports'>
  starts: Pick<InstanceStarts, 'takeImports'>
}

/**
 * Finishes deletions and imports that another service has begun, for instances that this service has claimed and that
 * have no configuration. Rejects if one must be tried again.
 */
export async function eraseOrImport(instances: readonly string[], { homes, directory, starts, ...options }: EraseOrImportDeps) {
  // Nothing is erased during an import, which may write the records of an instance that an interrupted import has left.
  const erase = (some: readonly string[]) => directory.betweenImports(() => eraseClaimed(some, options))
  const imports = await erase(instances)
  if (imports.length === 0) return
  // The service that had begun the import has ended, and only this service can finish it now.
  await starts.takeImports()
  // An import that was refused has removed the key and the home of its instance.
  if ((await erase(imports.filter(homes.isOwn))).length > 0)
    throw new Error('An imported device could not be made an instance yet.')
}
