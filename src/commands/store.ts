/** `store check`, `store backup`: commands on the store that holds the state. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { MB } from '../domain/media.ts'
import { makeBackup } from '../storage/backup.ts'
import { checkStore, damageSentence } from '../storage/check.ts'
import { noStore, storeDirOf } from '../storage/open.ts'
import { command } from './command.ts'
import { withHint, withStore } from './stored.ts'

export const checkStoreCommand = command({
  name: 'store check',
  summary: 'Say whether the store is damaged',
  details: 'It reads everything and changes nothing. The service may run beside it.',
  async run({ config }) {
    const dir = storeDirOf(config.storeUrl)
    const report = await checkStore(dir, 'deep')
    if (report.state === 'absent') throw withHint(new Error(noStore(dir)), config)
    if (report.state === 'damaged') throw new Error(damageSentence(dir, report.problem))
    if (report.state === 'unknown') throw new Error(`The store in ${dir} could not be looked at: ${report.problem}.`)
    const { records, usedPages, pageSize } = report
    return `The store in ${dir} is sound: ${records} records, ${((usedPages * pageSize) / MB).toFixed(1)} MB.\n`
  },
})

export const backupStoreCommand = command({
  name: 'store backup',
  summary: 'Copy the data folder as of one moment',
  details:
    'The service may run beside it. TARGET must not be there yet; it becomes a folder that the service can be started on (SVC_DATA_DIR), ' +
    'with the secret key in it unless SVC_SECRET_KEY gives it. Never run a copy beside the original: both would be the same linked devices.',
  arguments: [{ name: 'TARGET', about: 'the folder to be made' }],
  async run({ config, arguments: [given = ''], note }) {
    const target = resolve(given)
    return withStore(config, async ({ store }) => {
      const file = join(config.dataDir, 'secret-key')
      const keyFile = config.secretKey === null && existsSync(file) ? file : undefined
      const mediaFiles = await makeBackup(target, { store, blobsDir: join(config.dataDir, 'blobs'), keyFile })
      const report = await checkStore(join(target, 'state'), 'deep')
      if (report.state !== 'sound')
        throw new Error(`The copy in ${target} cannot be used: ${'problem' in report ? report.problem : 'it is not there'}.`)
      if (keyFile === undefined) note('The copy cannot be read without SVC_SECRET_KEY, which is not in it.')
      return `${target}: ${report.records} records, ${mediaFiles} media files.\n`
    })
  },
})
