/**
 * A small process that does nothing but start programs: starting one copies the page tables of whoever does it, and stalls all of its
 * threads meanwhile: 17 ms for a service that holds 800 MB, 1 ms for this. It ends when whoever asked is gone, and with it all it started.
 */
import { constants, setPriority } from 'node:os'
import { endPrograms, ProgramFailed, runProgram } from './program.ts'

export interface ProgramOrder {
  id: number
  program: string
  args: string[]
  limitMs: number
  /** Tell the output piece by piece. */
  inPieces: boolean
}

export type ProgramReport =
  | { id: number; piece: Uint8Array }
  | { id: number; output: Uint8Array }
  | { id: number; failed: { why: ProgramFailed['why'] | 'start'; message: string } }

// What it starts inherits this from its first moment on.
setPriority(constants.priority.PRIORITY_LOW)

/** Resolves when it is on its way; whoever asked is gone when that fails, and `disconnect` is about to say so. */
const tell = (report: ProgramReport) => new Promise<void>((resolve) => process.send?.(report, undefined, {}, () => resolve()))

process.on('message', ({ id, program, args, limitMs, inPieces }: ProgramOrder) => {
  const onData = (piece: Buffer) => tell({ id, piece })
  runProgram(program, args, { limitMs, ...(inPieces ? { onData } : {}) }).then(
    (output) => tell({ id, output }),
    (error: Error) => tell({ id, failed: { why: error instanceof ProgramFailed ? error.why : 'start', message: error.message } }),
  )
})

// Whoever stops the service may signal everything that belongs to it; when to end is said by the service, by going.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

process.on('disconnect', () => {
  endPrograms()
  process.exit()
})
