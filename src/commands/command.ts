/**
 * An operator command, which is a row of the table in `index.ts`. The row determines the help text, how the command
 * line is parsed, and the exit code.
 */
import type { Config } from '../config.ts'

export interface OptionRow {
  value?: string
  about: string
  required?: boolean
}

export interface ArgumentRow {
  name: string
  about: string
}

type Values<O> = { readonly [K in keyof O]: O[K] extends { value: string } ? string | undefined : boolean }

export interface Call<O = Record<string, OptionRow>> {
  config: Config
  options: Values<O>
  arguments: readonly string[]
  /**
   * Writes progress and remarks to standard error. They are not part of the command's result, which `run` resolves
   * with.
   */
  note(line: string): void
  /** Writes to standard output immediately, for a command that runs until it is interrupted. */
  print(line: string): void
  /**
   * Returns a signal that Ctrl-C or SIGTERM aborts. After the first call of this method, the next Ctrl-C does not end
   * the program by itself.
   */
  interrupted(): AbortSignal
}

export interface Command<O = Record<string, OptionRow>> {
  name: string
  summary: string
  details?: string
  arguments?: readonly ArgumentRow[]
  options?: O
  /** True if the command sends requests to a running service and does not open the data folder. */
  isRemote?: boolean
  /**
   * Runs the command. Resolves with the text for standard output. A rejection ends the program with code 1, or with
   * code 2 for a `UsageError`.
   */
  run(call: Call<O>): Promise<string>
}

export const command = <const O extends Record<string, OptionRow>>(row: Command<O>): Command => row as unknown as Command

/** Error for wrong input of the operator. The program exits with code 2 and prints how to get help. */
export class UsageError extends Error {
  readonly command: string | undefined

  constructor(message: string, command?: string) {
    super(message)
    this.name = 'UsageError'
    this.command = command
  }
}
