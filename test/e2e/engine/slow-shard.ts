/**
 * Runs the small shard on a slow machine: it loads only when a file with the name of its store exists. Each run writes
 * a line to the file beside that one when it starts. A run whose store is named `failing:` fails before it loads while
 * that file has fewer than two lines.
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
