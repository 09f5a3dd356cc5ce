/**
 * Runs ffmpeg and ffprobe on untrusted files, without the environment of the service, and with limits of memory and
 * time. A shell sets these limits, but it interprets no argument.
 */
import { type ChildProcess, spawn } from 'node:child_process'

const ADDRESS_SPACE_KB = 3 * 1_024 * 1_024
/**
 * Limit of processor time in seconds, for a program whose parent was killed. Otherwise the time limit normally ends a
 * program first.
 */
const CPU_SECONDS = 480
const COMPLAINT_BYTES = 2_048
/**
 * Largest number of bytes of output that is collected, such as the output of ffprobe, a thumbnail, or a picture as PNG.
 */
const MAX_OUTPUT = 32 * 1_024 * 1_024

export class ProgramFailed extends Error {
  /**
   * Why the program failed. `killed`: the file need not be the cause. The program was ended from outside, or it could
   * not be run.
   */
  readonly why: 'exit' | 'killed' | 'timeout' | 'output'

  constructor(why: ProgramFailed['why'], message: string) {
    super(message)
    this.name = 'ProgramFailed'
    this.why = why
  }
}

/**
 * Shell command that sets the limits and runs the program. If the system does not support one of the limits, the
 * program runs without it.
 */
const LIMITS = 'ulimit -v "$0" 2>/dev/null; ulimit -t "$1" 2>/dev/null; shift; exec "$@"'

const running = new Set<ChildProcess>()

export function endPrograms(): void {
  for (const child of running) child.kill('SIGKILL')
}

export interface RunOptions {
  limitMs: number
  /**
   * Called with each piece of the output, which is then not stored. The next piece is read when the promise has
   * resolved.
   */
  onData?: (chunk: Buffer) => Promise<void>
}

export function runProgram(program: string, args: readonly string[], { limitMs, onData }: RunOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', LIMITS, String(ADDRESS_SPACE_KB), String(CPU_SECONDS), program, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {},
      // The program gets a process group of its own, so that Ctrl-C in the service's terminal does not end the program.
      detached: true,
    })
    running.add(child)
    child.once('close', () => running.delete(child))
    const chunks: Buffer[] = []
    let size = 0
    let complaint = Buffer.alloc(0)
    let failure: ProgramFailed | undefined
    const kill = (why: ProgramFailed['why'], message: string) => {
      failure ??= new ProgramFailed(why, message)
      child.kill('SIGKILL')
    }
    const timer = setTimeout(() => kill('timeout', `it took longer than ${limitMs} ms`), limitMs)
    child.stdout.on('data', (chunk: Buffer) => {
      if (onData) {
        child.stdout.pause()
        void onData(chunk).finally(() => child.stdout.resume())
        return
      }
      size += chunk.byteLength
      if (size > MAX_OUTPUT) kill('output', `it wrote more than ${MAX_OUTPUT} bytes`)
      else chunks.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = Buffer.concat([complaint, chunk]).subarray(-COMPLAINT_BYTES)
    })
    child.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (failure) reject(failure)
      else if (code === 0) resolve(Buffer.concat(chunks))
      else
        reject(
          new ProgramFailed(
            isForeign(code, signal) ? 'killed' : 'exit',
            `it ended with ${code ?? signal}: ${complaint.toString().trim()}`,
          ),
        )
    })
  })
}

/**
 * Exit codes of a shell that could not run the program, and of an ffmpeg that was asked to end. The file causes all
 * other codes.
 */
const FOREIGN_CODES: readonly (number | null)[] = [126, 127, 255]
/** Signals that an operator sends, or a system without free memory. The file causes any other signal. */
const FOREIGN_SIGNALS: readonly (NodeJS.Signals | null)[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP']
const isForeign = (code: number | null, signal: NodeJS.Signals | null) =>
  FOREIGN_CODES.includes(code) || FOREIGN_SIGNALS.includes(signal)
