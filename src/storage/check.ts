/**
 * Detects a damaged store before the service opens it. A separate process reads the store, because lmdb ends a process
 * that reads a damaged page.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { PageReport } from './drivers/lmdb-pages.ts'

export type CheckReport =
  | ({ state: 'sound' } & PageReport)
  | { state: 'absent' }
  | { state: 'damaged'; problem: string }
  | { state: 'unknown'; problem: string }

/** Signals with which the system ends a process that reads damaged data. */
const SIGNS: ReadonlySet<unknown> = new Set(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL', 'SIGFPE'])

/** Checks the store in another process. A `deep` check also reads all records, if the store has a lock file. */
export async function checkStore(dir: string, how: 'quick' | 'deep' = 'quick'): Promise<CheckReport> {
  if (!existsSync(join(dir, 'data.mdb'))) return { state: 'absent' }
  const extension = extname(import.meta.url)
  const hooks = extension === '.ts' ? ['--import', import.meta.resolve('tsx')] : []
  const program = fileURLToPath(new URL(`./check-child${extension}`, import.meta.url))
  const child = spawn(process.execPath, [...hooks, program, dir, how], { stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    const [out, errors, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    if (SIGNS.has(signal)) return { state: 'damaged', problem: `the process that reads it was ended by ${signal}` }
    if (code === 0) return JSON.parse(out) as CheckReport
    return { state: 'unknown', problem: `the check ended with ${signal ?? code}: ${errors.trim().split('\n').at(-1)}` }
  } catch (error) {
    return { state: 'unknown', problem: error instanceof Error ? error.message : String(error) }
  }
}

export const damageSentence = (dir: string, problem: string) =>
  `The store in ${dir} is damaged: ${problem}. Nothing was changed. Restore its data.mdb from a backup and remove the lock.mdb beside it, or move the folder away to start with an empty store.`

/** Throws if the store is damaged. If the check could not run, `onUnknown` is called and the store is still opened. */
export async function refuseDamaged(dir: string, onUnknown: (problem: string) => void): Promise<void> {
  const report = await checkStore(dir)
  if (report.state === 'unknown') onUnknown(report.problem)
  if (report.state === 'damaged') throw new Error(damageSentence(dir, report.problem))
}
