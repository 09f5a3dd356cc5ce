/**
 * Runs programs for the conversion thread in a separate process, which ends some seconds after the last program. This
 * process must end before the thread, because child processes of an ended thread stay as zombies.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { SECOND } from '../../src/domain/clock.ts'
import { threadFlags, threadModule } from '../../src/engine/thread.ts'
import { ProgramFailed } from './program.ts'
import type { ProgramOrder, ProgramReport } from './program-host.ts'

const HEAP_MB = 32
/** Time in ms after which an idle process is ended. It is shorter than the lifetime of an idle thread. */
const IDLE = 5 * SECOND

export interface ProgramRun {
  limitMs: number
  onData?: (piece: Buffer) => void
}

export interface ProgramRunner {
  /**
   * Resolves with the standard output. Rejects with `ProgramFailed`, or with another Error if no process could be
   * started. A program that was killed, or that the shell could not run, is run a second time, unless some of its
   * output was passed on.
   */
  run(program: string, args: readonly string[], options: ProgramRun): Promise<Buffer>
  end(): void
}

interface Waiting {
  resolve(output: Buffer): void
  reject(error: Error): void
  onData: ((piece: Buffer) => void) | undefined
}

export function createProgramRunner(idleMs = IDLE): ProgramRunner {
  const waiting = new Map<number, Waiting>()
  let host: ChildProcess | undefined
  let idle: NodeJS.Timeout | undefined
  let last = 0
  let isEnded = false

  function onReport(report: ProgramReport) {
    const { id } = report
    const run = waiting.get(id)
    if (!run) return
    if ('piece' in report) return run.onData?.(Buffer.from(report.piece))
    waiting.delete(id)
    hold()
    if ('output' in report) return run.resolve(Buffer.from(report.output))
    const { why, message } = report.failed
    run.reject(why === 'start' ? new Error(message) : new ProgramFailed(why, message))
  }

  /** Lets the child process keep this thread alive only while a program runs. */
  function hold() {
    const way = waiting.size > 0 ? 'ref' : 'unref'
    host?.[way]()
    host?.channel?.[way]()
    clearTimeout(idle)
    if (way === 'unref') idle = setTimeout(letGo, idleMs).unref()
  }

  function letGo() {
    const child = host
    host = undefined
    if (child?.connected) child.disconnect()
  }

  function ended(child: ChildProcess, why: string) {
    if (host !== child) return
    host = undefined
    const lost = [...waiting.values()]
    waiting.clear()
    for (const { reject } of lost) reject(new ProgramFailed('killed', why))
  }

  function start(): ChildProcess {
    const module = threadModule('./program-host', import.meta.url)
    const child = fork(fileURLToPath(module), [], {
      serialization: 'advanced',
      execArgv: [...(threadFlags(module) ?? []), `--max-old-space-size=${HEAP_MB}`],
      // The programs read untrusted files, so the environment is empty.
      env: {},
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    child.on('message', onReport)
    child.on('error', (error) => ended(child, `what starts programs: ${error.message}`))
    child.on('exit', (code, signal) => ended(child, `what starts programs ended with ${code ?? signal}`))
    return child
  }

  function once(order: Omit<ProgramOrder, 'id'>, onData: Waiting['onData']): Promise<Buffer> {
    if (isEnded) return Promise.reject(new ProgramFailed('killed', 'nothing is run any more'))
    host ??= start()
    const child = host
    const id = ++last
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject, onData })
      hold()
      // There is no channel after a failed fork, and `error` is emitted instead.
      if (child.connected) child.send({ id, ...order } satisfies ProgramOrder, () => {})
    })
  }

  return {
    async run(program, args, { limitMs, onData }) {
      let isTaken = false
      const take = (piece: Buffer) => {
        isTaken = true
        onData?.(piece)
      }
      const order = { program, args: [...args], limitMs, inPieces: onData !== undefined }
      try {
        return await once(order, take)
      } catch (error) {
        if (isEnded || isTaken || !(error instanceof ProgramFailed) || error.why !== 'killed') throw error
        return await once(order, take)
      }
    },

    end() {
      isEnded = true
      letGo()
      for (const { reject } of waiting.values()) reject(new ProgramFailed('killed', 'nothing is run any more'))
      waiting.clear()
    },
  }
}
