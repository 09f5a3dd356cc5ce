/**
 * The type of an operator command: a row of the table in `index.ts`. The row determines the help text, the parsing and the exit code of the command.
 */
import type { Config } from '../config.ts'

export interface OptionRow {
  /** Placeholder of the value in the help, for example `<name>`. A flag has no placeholder, because it takes no value. */
  value?: string
  about: string
  required?: boolean
}

export interface ArgumentRow {
  /** Name in the help, for example `TARGET`. */
  name: string
  about: string
}

type Values<O> = { readonly [K in keyof O]: O[K] extends { value: string } ? string | undefined : boolean }

/** Everything that a command gets when it runs. */
export interface Call<O = Record<string, OptionRow>> {
  config: Config
  /** Values of the options of the command line; required options are always present. */
  options: Values<O>
  /** Values of the arguments: one per row of `arguments`, in the same order. */
  arguments: readonly string[]
  /** Writes a line to standard error, for progress and remarks. The result of the command is what `run` resolves with. */
  note(line: string): void
  /** Writes a line to standard output at once, for a command that runs until it is interrupted. */
  print(line: string): void
  /** Returns a signal that Ctrl-C aborts. After the first call of this method, Ctrl-C no longer ends the program by itself. */
  interrupted(): AbortSignal
}

export interface Command<O = Record<string, OptionRow>> {
  /** Command as the operator types it, for example `workspace create`. */
  name: string
  /** Summary in one line, without a full stop. */
  summary: string
  /** Rest of the help of this command, in whole sentences. */
  details?: string
  arguments?: readonly ArgumentRow[]
  options?: O
  /** True if the command sends requests to a running service and does not open the data folder. */
  isRemote?: boolean
  /** Resolves with the text for standard output. A rejection ends the program with code 1. */
  run(call: Call<O>): Promise<string>
}

/** Declares a command whose `run` gets its options by name and type. */
export const command = <const O extends Record<string, OptionRow>>(row: Command<O>): Command => row as unknown as Command

/** The command line was not understood: the program exits with code 2 and names the help. */
export class UsageError extends Error {
  /** Command whose help the error points to, if any. */
  readonly command: string | undefined

  constructor(message: string, command?: string) {
    super(message)
    this.name = 'UsageError'
    this.command = command
  }
}
