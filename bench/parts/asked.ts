import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Sends SIGUSR2 to a service that has preloaded one of the modules for it (`*.mjs`), and returns the value that the
 * module writes to `file`.
 */
export async function asked<T>(child: ChildProcess, file: string): Promise<T> {
  rmSync(file, { force: true })
  child.kill('SIGUSR2')
  while (!existsSync(file)) await sleep(20)
  return JSON.parse(readFileSync(file, 'utf8')) as T
}
