/** The thread's web client version over the state store; the rules are in `baileys/version.ts`. */
import * as v from 'valibot'
import type { Log } from '../../src/domain/log.ts'
import type { StateStore } from '../../src/storage/contract.ts'
import { keys } from '../../src/storage/keys.ts'
import { repository } from '../../src/storage/repository.ts'
import { createWebVersion, type VersionState, type WebVersion } from './baileys/version.ts'

const WaVersion = v.tuple([v.number(), v.number(), v.number()])
const records = repository<VersionState>({
  name: 'web client version',
  schema: v.object({ current: WaVersion, lastGood: v.nullable(WaVersion), refused: v.array(WaVersion) }),
  version: 1,
})

export async function openWebVersion(store: StateStore, log: Log): Promise<WebVersion> {
  return createWebVersion({
    stored: (await records.get(store, keys.webVersion)) ?? null,
    async save(state) {
      await store.commit({ ops: [records.encode(keys.webVersion, state)] })
    },
    onError: (error) => log.warn({ err: error }, 'a newer client version could not be fetched'),
  })
}
