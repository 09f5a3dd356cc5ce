/** The conversion thread's side of `program-host.ts`, which is started with the first program and ends with this thread. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { threadFlags, threadModule } from '../../src/engine/thread.ts'
import { ProgramFailed } from './program.ts'
import type { ProgramOrder, ProgramReport } from './program-host.ts'

/** It holds no more than the output of a few programs, outside of the heap. */
const HEAP_MB = 32

interface Waiting {
  resolve(output: Buffer): void
  reject(error: Error): void
  onData: ((piece: Buffer) => void) | undefined
}

export interface ProgramRun {
  limitMs: number
  /** Takes the output piece by piece instead of keeping it. */
  onData?: (piece: Buffer) => void
}

export interface ProgramRunner {
  /** Resolves with the standard output; rejects with `ProgramFailed`, or when it could not be run at all. */
  run(program: string, args: readonly string[], options: ProgramRun): Promise<Buffer>
  /** Everything that runs ends. */
  end(): void
}

export function createProgramRunner(): ProgramRunner {
  const waiting = new Map<number, Waiting>()
  let host: ChildProcess | undefined
  let last = 0

  function heard(report: ProgramReport) {
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

  /** While nothing runs, it keeps nobody from ending. */
  function hold() {
    const way = waiting.size > 0 ? 'ref' : 'unref'
    host?.[way]()
    host?.channel?.[way]()
  }

  function ended(child: ChildProcess, why: Error) {
    if (host !== child) return
    host = undefined
    for (const { reject } of waiting.values()) reject(why)
    waiting.clear()
  }

  function start(): ChildProcess {
    const module = threadModule('./program-host', import.meta.url)
    const child = fork(fileURLToPath(module), [], {
      serialization: 'advanced',
      execArgv: [...(threadFlags(module) ?? []), `--max-old-space-size=${HEAP_MB}`],
      // None of ours: what it starts reads files of strangers.
      env: {},
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    child.on('message', heard)
    child.on('error', (error) => ended(child, error))
    child.on('exit', (code, signal) => ended(child, new Error(`what starts programs ended with ${code ?? signal}`)))
    return child
  }

  return {
    run(program, args, { limitMs, onData }) {
      host ??= start()
      const id = ++last
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject, onData })
        hold()
        const order: ProgramOrder = { id, program, args: [...args], limitMs, inPieces: onData !== undefined }
        // A failure to send is followed by `exit`, which tells everybody who waits.
        host?.send(order, () => {})
      })
    },

    end: () => host?.disconnect(),
  }
}
