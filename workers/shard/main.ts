/** Main module of a shard thread. It answers the commands of the main thread. */
import { workerData } from 'node:worker_threads'
import type { ThreadData, ThreadTask } from '../../src/engine/protocol.ts'
import { spareMemoryWhenQuiet } from '../../src/engine/quiet-memory.ts'
import { spareMemory } from '../../src/engine/spare-memory.ts'
import { answerMain } from '../../src/engine/thread-messages.ts'
import { createLog } from '../../src/log.ts'
import { surviveRejections } from './baileys/thread/rejections.ts'
import { createCrash } from './crash.ts'
import { createHost } from './host.ts'
import { createInstance } from './instance.ts'
import { openShard } from './open-shard.ts'

const data = workerData as ThreadData
const log = createLog(data.logging, `shard ${data.shard}`)

surviveRejections(({ kind, error, owner }) => log.error({ instance: owner, err: error }, `unhandled ${kind}`))

// `spareMemory` blocks the thread for some time, so it runs before any work begins.
await spareMemory()
spareMemoryWhenQuiet()

export function live({ port, announced }: ThreadTask): Promise<never> {
  const main = answerMain(port, announced)
  const host = createHost({
    log,
    open: (setup) => openShard(setup, log, main.say, main.say),
    createInstance,
    crash: createCrash(data.allowCrash),
  })
  main.serve(host.run)
  return new Promise(() => {})
}
