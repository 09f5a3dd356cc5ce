import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { MB } from '../domain/media.ts'
import { backendOf } from '../storage/backends.ts'
import { command } from './command.ts'
import { withHint, withStore } from './stored.ts'

export const checkStoreCommand = command({
  name: 'store check',
  summary: 'Check whether the store is damaged',
  details: 'The whole store is read and nothing is changed. The service may keep running.',
  async run({ config }) {
    const backend = await backendOf(config.storeUrl)
    const { records, bytes } = await backend.check().catch(withHint(config))
    return `The store in ${backend.shown} is sound: ${records} records, ${(bytes / MB).toFixed(1)} MB.\n`
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
      const { blobs: place } = config
      const { records, mediaFiles } = await store.backup(target, { blobsDir: place.in === 'files' ? place.dir : null, keyFile })
      if (keyFile === undefined) note('The copy does not contain the secret key: reading it needs SVC_SECRET_KEY.')
      if (place.in === 'bucket')
        note('The copy does not contain the media of waiting messages: they stay in the bucket of SVC_BLOBS_URL.')
      return `${target}: ${records} records, ${mediaFiles} media files.\n`
    })
  },
})
