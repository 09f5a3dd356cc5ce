import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { CLI, ROOT } from './checkout.ts'
import { storeEnv } from './store-env.ts'

export interface CommandResult {
  out: string
  errors: string
  /** Exit code; null if a signal ended the command. */
  code: number | null
}

/**
 * Runs an operator command on this data folder. The command gets no other settings (`SVC_…`) than the folder and those
 * of the store (`store-env.ts`).
 */
export const runCommand = (dataDir: string, ...args: string[]): Promise<CommandResult> => runCommandIn({}, dataDir, ...args)

export async function runCommandIn(env: Record<string, string>, dataDir: string, ...args: string[]): Promise<CommandResult> {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))
  const child = spawn(process.execPath, [...CLI, ...args], {
    cwd: ROOT,
    env: { ...inherited, ...storeEnv(dataDir), ...env, SVC_DATA_DIR: dataDir },
  })
  child.stdin.end()
  const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { out, errors, code: code as number | null }
}
