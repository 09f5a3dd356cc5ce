/** `store check`, `store backup`: commands on the store that holds the state. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { MB } from '../domain/media.ts'
import { makeBackup } from '../storage/backup.ts'
import { checkStore, damageSentence } from '../storage/check.ts'
import { noStore, storeDirOf } from '../storage/open-store.ts'
import { command } from './command.ts'
import { withHint, withStore } from './stored.ts'

export const checkStoreCommand = command({
  name: 'store check',
  summary: 'Check whether the store is damaged',
  details: 'The whole store is read and nothing is changed. The service may keep running.',
  async run({ config }) {
    const dir = storeDirOf(config.storeUrl)
    const report = await checkStore(dir, 'deep')
    if (report.state === 'absent') throw withHint(new Error(noStore(dir)), config)
    if (report.state === 'damaged') throw new Error(damageSentence(dir, report.problem))
    if (report.state === 'unknown') throw new Error(`The store in ${dir} could not be checked: ${report.problem}.`)
    const { records, usedPages, pageSize } = report
    return `The store in ${dir} is sound: ${records} records, ${((usedPages * pageSize) / MB).toFixed(1)} MB.\n`
  },
})

export const backupStoreCommand = command({
  name: 'store backup',
  summary: 'Copy the data folder as of one moment',
  details:
    'The service may keep running. TARGET must not exist yet; it becomes a folder that the service can start from (SVC_DATA_DIR). It ' +
    'contains the secret key unless SVC_SECRET_KEY is set. Never run a copy and the original at the same time: both would be the same linked devices.',
  arguments: [{ name: 'TARGET', about: 'folder to create; it must not exist yet' }],
  async run({ config, arguments: [given = ''], note }) {
    const target = resolve(given)
    return withStore(config, async ({ store }) => {
      const file = join(config.dataDir, 'secret-key')
      const keyFile = config.secretKey === null && existsSync(file) ? file : undefined
      const mediaFiles = await makeBackup(target, { store, blobsDir: join(config.dataDir, 'blobs'), keyFile })
      const report = await checkStore(join(target, 'state'), 'deep')
      if (report.state !== 'sound')
        throw new Error(`The copy in ${target} cannot be used: ${'problem' in report ? report.problem : 'it does not exist'}.`)
      if (keyFile === undefined) note('The copy does not contain the secret key: reading it needs SVC_SECRET_KEY.')
      return `${target}: ${report.records} records, ${mediaFiles} media files.\n`
    })
  },
})
