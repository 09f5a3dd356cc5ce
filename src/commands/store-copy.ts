import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../config.ts'
import { blobsBeside } from '../config-places.ts'
import { parseStoreUrl } from '../domain/store-url.ts'
import { createKillAt } from '../kill-at.ts'
import { backendOf } from '../storage/backends.ts'
import { readMark, setMark } from '../storage/moving/marks.ts'
import { reopenStore } from '../storage/moving/reopen-store.ts'
import { copyStore } from '../storage/moving/store-copy.ts'
import { type OpenStore, openBlobItems, openStore } from '../storage/open-store.ts'
import { keys } from '../storage/record-keys.ts'
import type { Backend } from '../storage/store-backend.ts'
import { type Call, command, UsageError } from './command.ts'
import { type OwnStore, withMovedStore } from './stored.ts'

/** Milliseconds between two lines about the progress. */
const EVERY = 5_000

export const copyStoreCommand = command({
  name: 'store copy',
  summary: 'Move everything to another store, for example to PostgreSQL or back',
  details: [
    'Stop the service first. Records, keys and waiting media of the store (SVC_STORE_URL) are copied as they are, still encrypted. The target must',
    'be empty. The service then refuses to start on the old store, because two copies would be the same linked devices. A command that was',
    'interrupted can be run again, and continues.',
  ].join('\n'),
  options: {
    to: { value: '<url>', about: 'store to copy to, as SVC_STORE_URL names it', required: true },
  },
  run: ({ config, options: { to = '' }, note }) =>
    withMovedStore(config, async (stored) => {
      const target = await prepare(to, config)
      const copied = await copyTo(to, stored, { config, note })
      if (copied === undefined) return `The store in ${stored.store.shown} was already moved; nothing was copied.\n`
      const { records, keys: sealed, media } = copied
      return `${target.shown}: ${records} records, ${sealed} keys, ${media} media.\n${nextSteps(target, config, stored.file)}`
    }),
})

const REOPEN = 'store reopen'

export const reopenStoreCommand = command({
  name: REOPEN,
  summary: 'Use a store again that "store copy" has moved',
  details: [
    'Use it only while no service has used the copy: this store lacks later changes, and both stores would be the same linked devices. The command',
    'compares both stores, and the service then refuses to start on the copy. If the copy cannot be reached, wait: a service may still use it.',
  ].join('\n'),
  options: {
    copy: { value: '<url>', about: 'store that everything was moved to' },
    'copy-is-gone': { about: 'the copy was removed, so it cannot be checked' },
  },
  async run({ config, options: { copy, 'copy-is-gone': isGone } }) {
    if ((copy === undefined) !== isGone) throw new UsageError('Give either --copy <url> or --copy-is-gone.', REOPEN)
    return withMovedStore(config, async ({ store }) => {
      const moved = await readMark(store, keys.storeMoved)
      if (moved === undefined) return `The store in ${store.shown} was not moved; nothing was changed.\n`
      const start = `The service can start on the store in ${store.shown} again.`
      if (copy === undefined) {
        await setMark(store, keys.storeMoved, null)
        return `${start}\n`
      }
      return withOwned(copy, config, true, async (to) => {
        await reopenStore(store, to, moved)
        return `${start} Remove the copy in ${to.shown}.\n`
      })
    })
  },
})

/** Makes the folders of the target store. Throws if the target is the source, or if no service could start on it. */
async function prepare(url: string, config: Config): Promise<Backend> {
  if (parseStoreUrl(url)?.backend === 'memory') throw new Error('The target (--to) must be a store that outlives its process.')
  const [source, target] = await Promise.all([backendOf(config.storeUrl), backendOf(url)])
  if (target.shown === source.shown) throw new Error(`The store is already in ${target.shown}; name another place (--to).`)
  await target.makeFolders(config.dataDir)
  await target.refuseDamaged(() => {})
  return target
}

async function copyTo(url: string, { store: from }: OwnStore, { config, note }: Pick<Call, 'config' | 'note'>) {
  const [here, there] = [config.blobs, blobsBeside(config, url)]
  const isShared = here.in !== 'store' && isDeepStrictEqual(here, there)
  return withOwned(url, config, false, async (to) => {
    const media = isShared ? null : { from: await openBlobItems(here, from), to: await openBlobItems(there, to) }
    return copyStore({ from, to, media, steps: createKillAt(config.killAt), onProgress: progress(note) })
  })
}

async function withOwned<T>(
  url: string,
  { keysDir }: Config,
  mustExist: boolean,
  work: (store: OpenStore) => Promise<T>,
): Promise<T> {
  const store = await openStore(url, { mustExist, keysDir: keysDir ?? undefined })
  let release: (() => Promise<void>) | undefined
  try {
    release = await store.own()
    return await work(store)
  } finally {
    await store.close()
    await release?.()
  }
}

function progress(note: (line: string) => void): (records: number, all: number) => void {
  let last = performance.now()
  return (records, all) => {
    if (performance.now() - last < EVERY) return
    last = performance.now()
    note(`${records} of ${all} records are equal in both stores.`)
  }
}

function nextSteps({ needsSecretKey, shown }: Backend, config: Config, file: string): string {
  const start = `Start the service with SVC_STORE_URL set to the store in ${shown}`
  if (config.secretKey !== null) return `${start}, and with the same SVC_SECRET_KEY.\n`
  if (needsSecretKey)
    return `${start}, and SVC_SECRET_KEY set to the content of ${file}. Keep that key apart from the database.\n`
  return `${start}; ${file} stays its secret key.\n`
}
