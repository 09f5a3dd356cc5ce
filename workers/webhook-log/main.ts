/**
 * Reads webhook logs from the store in a thread of its own, because a log may be long and its rows must be decrypted.
 * The store is open only while a task runs.
 */

import type { LogReader } from '../../src/domain/webhook-log.ts'
import { openStore } from '../../src/storage/open-store.ts'
import { createSealer } from '../../src/storage/sealer.ts'
import { logReader } from '../../src/webhooks/log-reader.ts'

export type LogTask = {
  [M in keyof LogReader]: { ask: M; of: Parameters<LogReader[M]>; storeUrl: string; keys: ReadonlyMap<string, Uint8Array> }
}[keyof LogReader]

export async function read({ ask, of, storeUrl, keys }: LogTask): Promise<unknown> {
  const store = await openStore(storeUrl, { mustExist: true, isReader: true })
  try {
    const reader = logReader(store, (instanceId) => createSealer(keys.get(instanceId)!))
    return await (reader[ask] as (...input: typeof of) => Promise<unknown>)(...of)
  } finally {
    await store.close()
  }
}
