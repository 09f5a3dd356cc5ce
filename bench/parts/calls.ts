/**
 * Calls between a bench and its parts: drivers, receivers and baselines run in separate processes, so that the work of
 * one is not counted for another. A call sends plain data to a named function of the other process, and receives one
 * answer.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

// biome-ignore lint/suspicious/noExplicitAny: the arguments of every function there is; `call` has each one's own.
export type Calls = Record<string, (...input: any[]) => unknown>

interface Call {
  id: number
  name: string
  input: unknown[]
}
type Answer = { id: number; value: unknown } | { id: number; error: string }

export interface Part<C extends Calls> {
  pid: number
  call<K extends keyof C & string>(name: K, ...input: Parameters<C[K]>): Promise<Awaited<ReturnType<C[K]>>>
}

/** Answers the calls of the parent process. To be called in the child process, which ends when its parent does. */
export function answerCalls<C extends Calls>(calls: C): void {
  process.on('message', async ({ id, name, input }: Call) => {
    try {
      process.send!({ id, value: await calls[name]!(...input) } satisfies Answer)
    } catch (error) {
      process.send!({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) } satisfies Answer)
    }
  })
  process.on('disconnect', () => process.exit())
}

/** Starts a part in a child process. `file` is the name of its module in this folder. */
export const startPart = <C extends Calls>(file: string, ...args: string[]): Part<C> => startPartIn<C>({}, file, ...args)

/** Starts a part with these environment variables, besides those of this process. */
export function startPartIn<C extends Calls>(env: Record<string, string>, file: string, ...args: string[]): Part<C> {
  const child: ChildProcess = fork(fileURLToPath(new URL(`./${file}`, import.meta.url)), args, {
    serialization: 'advanced',
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, ...env },
  })
  const open = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let next = 0
  child.on('message', (answer: Answer) => {
    const call = open.get(answer.id)
    open.delete(answer.id)
    if ('error' in answer) call?.reject(new Error(`${file}: ${answer.error}`))
    else call?.resolve(answer.value)
  })
  child.on('exit', (code, signal) => {
    for (const { reject } of open.values()) reject(new Error(`${file} ended with ${code ?? signal}`))
  })
  // The child process must not keep the bench alive.
  child.unref()
  child.channel!.unref()
  return {
    pid: child.pid!,
    call: (name, ...input) =>
      new Promise((resolve, reject) => {
        open.set(next, { resolve: resolve as (value: unknown) => void, reject })
        child.send({ id: next++, name, input } satisfies Call)
      }),
  }
}
