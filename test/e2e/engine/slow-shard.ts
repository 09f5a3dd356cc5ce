/**
 * A shard thread for tests that starts slowly or fails to start. If it starts, it runs `small-shard.ts`. The variable
 * TEST_SLOW_SHARD selects the behaviour. `slow:<path>`: the thread waits until the file exists. `failing:<path>`: the
 * first two starts fail. `broken:<path>`: every start fails. Each start adds a character to `<path>.runs`.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

const [how, path] = process.env.TEST_SLOW_SHARD!.split(':') as [string, string]
const before = existsSync(`${path}.runs`) ? readFileSync(`${path}.runs`, 'utf8').length : 0
appendFileSync(`${path}.runs`, '.')
if (how === 'failing' && before < 2) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' })
if (how === 'broken') throw new TypeError('a defect')
while (how === 'slow' && !existsSync(path)) await wait(10)

export const { live } = await import('./small-shard.ts')
