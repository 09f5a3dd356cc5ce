/**
 * The small shard on a machine that is slow, or has nothing to spare: it loads once the file that stands in place of a store is there. Each run
 * says that it has begun by a line in the file beside it, and one whose store is named `failing:` fails before it loads while there are fewer
 * lines than two.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import type { ThreadData } from '../../../src/engine/protocol.ts'

const [how, path] = (workerData as ThreadData).storeUrl.split(':') as [string, string]
const before = existsSync(`${path}.runs`) ? readFileSync(`${path}.runs`, 'utf8').length : 0
appendFileSync(`${path}.runs`, '.')
if (how === 'failing' && before < 2) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' })
if (how === 'broken') throw new TypeError('a defect')
while (how === 'slow' && !existsSync(path)) await wait(10)

export const { live } = await import('./small-shard.ts')
