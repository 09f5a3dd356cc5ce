/**
 * Stores the web client version of the thread. A newer one is read from the network's web client, only after a refusal.
 * For another network, such as the sandbox, nothing is fetched.
 */
import type { WAVersion } from '@whiskeysockets/baileys'
import * as v from 'valibot'
import { SECOND } from '../../../../src/domain/clock.ts'
import type { Log } from '../../../../src/domain/log.ts'
import type { Ranges } from '../../../../src/egress/addresses.ts'
import { type GuardedFetchOptions, guardedFetch } from '../../../../src/egress/guarded-fetch.ts'
import type { NetworkOptions } from '../../../../src/engine/engine.ts'
import type { StateStore } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import { repository } from '../../../../src/storage/repository.ts'
import { createWebVersion, startVersion, type VersionState, type WebVersion } from './client-version.ts'

/** The file of the web client that contains its version. */
const PAGE = 'https://web.whatsapp.com/sw.js'
/** Headers that the library also sends. If they are missing, the server sends a page for robots. */
const HEADERS = {
  'sec-fetch-site': 'none',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
}
const REVISION = /\\?"client_revision\\?":\s*(\d{1,10})\b/
/** Time limit of the fetch in ms. It is short, because the refused instances wait for the fetch. */
const TIMEOUT = 5 * SECOND
const MAX_BYTES = 4 * 1_024 * 1_024

const WaVersion = v.tuple([v.number(), v.number(), v.number()])
const records = repository<VersionState>({
  name: 'web client version',
  schema: v.object({ current: WaVersion, lastGood: v.nullable(WaVersion), refused: v.array(WaVersion) }),
  version: 1,
})

export interface WebVersionOptions {
  store: StateStore
  log: Log
  wanted: readonly [number, number, number] | null
  network: NetworkOptions
  allow: Ranges
  egress?: GuardedFetchOptions['egress']
}

export async function openWebVersion(options: WebVersionOptions): Promise<WebVersion> {
  const { store, log, network } = options
  const stored = (await records.get(store, keys.webVersion)) ?? null
  const wanted: WAVersion | null = options.wanted && [...options.wanted]
  const start = startVersion(stored, wanted).current
  if (wanted && start.join() !== wanted.join())
    log.warn(
      { wanted: wanted.join('.'), version: start.join('.') },
      'the network refused the client version in SVC_WEB_VERSION; the setting is ignored',
    )
  return createWebVersion({
    stored,
    wanted,
    async save(state) {
      await store.commit({ ops: [records.encode(keys.webVersion, state)] })
    },
    refresh: isReal(network) ? () => newest(options) : undefined,
    onError: (error) => log.warn({ err: error }, 'a newer client version could not be fetched'),
  })
}

const isReal = ({ url, root }: NetworkOptions) => url === null && root === null

/** Fetches the newest version. Redirects are not followed, because they would lead to another host. */
async function newest({ allow, log, egress }: WebVersionOptions): Promise<WAVersion> {
  const { status, body } = await guardedFetch(PAGE, {
    allow,
    timeoutMs: TIMEOUT,
    maxBytes: MAX_BYTES,
    maxRedirects: 0,
    tooLarge: 'cut',
    headers: HEADERS,
    ...(egress ? { egress } : {}),
  })
  const revision = REVISION.exec(new TextDecoder().decode(body))?.[1]
  if (revision === undefined) throw new Error(`the page of the web client contains no version (HTTP status ${status})`)
  const version: WAVersion = [2, 3000, Number(revision)]
  log.info({ version: version.join('.') }, 'the current client version was read from the web client')
  return version
}
