/**
 * Backend for a folder on this machine. The folder contains the records, the keys (unless `SVC_KEYS_DIR` is set), and a
 * socket by which a second service detects that the first one runs.
 */
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { makeBackup } from '../backup.ts'
import { checkStore, damageSentence, refuseDamaged } from '../check.ts'
import { noStore, openLmdb } from '../drivers/lmdb.ts'
import type { PageReport } from '../drivers/lmdb-pages.ts'
import { keyFiles } from '../key-files.ts'
import { ownStore, visitOwner } from '../owner.ts'
import { makeDataDir } from '../private.ts'
import { type Backend, type CheckedStore, NoStore } from '../store-backend.ts'

export function lmdbBackend(folder: string): Backend {
  const dir = resolve(folder)
  return {
    shown: dir,
    needsSecretKey: false,
    makeFolders: (dataDir) => makeDataDir(dataDir, dir),
    exists: async () => existsSync(dir),
    refuseDamaged: (onUnknown) => refuseDamaged(dir, onUnknown),
    async check() {
      const report = await checkStore(dir, 'deep')
      if (report.state === 'absent') throw new NoStore(noStore(dir))
      if (report.state === 'damaged') throw new Error(damageSentence(dir, report.problem))
      if (report.state === 'unknown') throw new Error(`The store in ${dir} could not be checked: ${report.problem}.`)
      return sizesOf(report)
    },
    async open(options) {
      const driver = await openLmdb({ dir, ...options })
      const { keysDir = join(dir, 'keys') } = options
      const store = { dir, get: driver.get, commit: driver.commit }
      return {
        ...driver,
        shown: dir,
        threadUrl: `lmdb:${dir}`,
        dir,
        size: () => sizeOf(dir),
        keyTable: keyFiles(keysDir),
        own: (onVisit) => ownStore(store, onVisit),
        visitOwner: () => visitOwner(store),
        async backup(target, beside) {
          const mediaFiles = await makeBackup(target, { copyTo: driver.copyTo, keysDir, ...beside })
          const report = await checkStore(join(target, 'state'), 'deep')
          if (report.state !== 'sound')
            throw new Error(
              `The copy in ${target} cannot be used: ${'problem' in report ? report.problem : 'it does not exist'}.`,
            )
          return { ...sizesOf(report), mediaFiles }
        },
      }
    },
  }
}

const sizesOf = ({ records, usedPages, pageSize }: PageReport): CheckedStore => ({ records, bytes: usedPages * pageSize })

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(({ name }) =>
        stat(join(folder, name)).then(
          ({ blocks }) => blocks * 512,
          () => 0,
        ),
      ),
  )
  return sizes.reduce((total, size) => total + size, 0)
}
