/**
 * A small process that only starts programs. Starting a program copies the page tables and stops all threads: 17 ms in
 * a service with 800 MB, and 1 ms here. This process ends, with all its programs, when the service ends or disconnects.
 */
import { constants, setPriority } from 'node:os'
import { endPrograms, ProgramFailed, runProgram } from './program.ts'

export interface ProgramOrder {
  id: number
  program: string
  args: string[]
  limitMs: number
  inPieces: boolean
}

export type ProgramReport =
  | { id: number; piece: Uint8Array }
  | { id: number; output: Uint8Array }
  | { id: number; failed: { why: ProgramFailed['why'] | 'start'; message: string } }

// Programs inherit this priority. With the lowest priority, a short film did not finish within its two minutes on a
// busy core.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

const post = (report: ProgramReport) => new Promise<void>((resolve) => process.send?.(report, undefined, {}, () => resolve()))

process.on('message', ({ id, program, args, limitMs, inPieces }: ProgramOrder) => {
  const onData = (piece: Buffer) => post({ id, piece })
  runProgram(program, args, { limitMs, ...(inPieces ? { onData } : {}) }).then(
    (output) => post({ id, output }),
    (error: Error) => post({ id, failed: { why: error instanceof ProgramFailed ? error.why : 'start', message: error.message } }),
  )
})

// When the service is stopped, its whole process group may get a signal. This process ignores the signal, and ends when
// the service disconnects.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

process.on('disconnect', () => {
  endPrograms()
  process.exit()
})
