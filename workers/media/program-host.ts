/**
 * A small process that only starts programs: a start copies the page tables of the parent and stalls all of its threads meanwhile, 17 ms for a
 * service that holds 800 MB, 1 ms for this one. It ends, with all its programs, when the service is gone.
 */
import { constants, setPriority } from 'node:os'
import { endPrograms, ProgramFailed, runProgram } from './program.ts'

export interface ProgramOrder {
  id: number
  program: string
  args: string[]
  limitMs: number
  /** Send the output piece by piece. */
  inPieces: boolean
}

export type ProgramReport =
  | { id: number; piece: Uint8Array }
  | { id: number; output: Uint8Array }
  | { id: number; failed: { why: ProgramFailed['why'] | 'start'; message: string } }

// Programs inherit this priority from their first moment on: a ninth of what an ordinary process gets beside them. With the lowest, a seventieth, a
// short film did not end within its two minutes where a core was busy otherwise, and its message failed.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

/** Resolves once the report is sent, or has failed because the service is gone, which `disconnect` is about to report. */
const post = (report: ProgramReport) => new Promise<void>((resolve) => process.send?.(report, undefined, {}, () => resolve()))

process.on('message', ({ id, program, args, limitMs, inPieces }: ProgramOrder) => {
  const onData = (piece: Buffer) => post({ id, piece })
  runProgram(program, args, { limitMs, ...(inPieces ? { onData } : {}) }).then(
    (output) => post({ id, output }),
    (error: Error) => post({ id, failed: { why: error instanceof ProgramFailed ? error.why : 'start', message: error.message } }),
  )
})

// A stop of the service may signal its whole process group; this process ends only when the service disconnects.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

process.on('disconnect', () => {
  endPrograms()
  process.exit()
})
