/**
 * A small process that only starts programs. To start a program, the system copies the page tables of the parent, and all threads of the parent stand
 * still during the copy: 17 ms for a service with 800 MB, and 1 ms for this process. It ends, with all its programs, when the service ends.
 */
import { constants, setPriority } from 'node:os'
import { endPrograms, ProgramFailed, runProgram } from './program.ts'

export interface ProgramOrder {
  id: number
  program: string
  args: string[]
  limitMs: number
  /** Whether the output is sent in pieces. */
  inPieces: boolean
}

export type ProgramReport =
  | { id: number; piece: Uint8Array }
  | { id: number; output: Uint8Array }
  | { id: number; failed: { why: ProgramFailed['why'] | 'start'; message: string } }

// Programs inherit this priority: they get a ninth of the time of an ordinary process. With the lowest priority, a
// seventieth, a short film did not finish within its two minutes on a busy core, and its message failed.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

/**
 * Resolves when the report is sent, or when sending fails because the service has ended; `disconnect` is emitted next
 * in that case.
 */
const post = (report: ProgramReport) => new Promise<void>((resolve) => process.send?.(report, undefined, {}, () => resolve()))

process.on('message', ({ id, program, args, limitMs, inPieces }: ProgramOrder) => {
  const onData = (piece: Buffer) => post({ id, piece })
  runProgram(program, args, { limitMs, ...(inPieces ? { onData } : {}) }).then(
    (output) => post({ id, output }),
    (error: Error) => post({ id, failed: { why: error instanceof ProgramFailed ? error.why : 'start', message: error.message } }),
  )
})

// A stop of the service may send a signal to its whole process group; this process ends only when the service disconnects.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

process.on('disconnect', () => {
  endPrograms()
  process.exit()
})
