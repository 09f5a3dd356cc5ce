/** The type of an operator command: a row of the table in `index.ts`. Its help, its parsing and its exit code follow from the row. */
import type { Config } from '../config.ts'

export interface OptionRow {
  /** How its value is written in the help, as in `<name>`; absent: a flag, which takes none. */
  value?: string
  about: string
  required?: boolean
}

export interface ArgumentRow {
  /** As written in the help: `TARGET`. */
  name: string
  about: string
}

type Values<O> = { readonly [K in keyof O]: O[K] extends { value: string } ? string | undefined : boolean }

/** The context a command runs with. */
export interface Call<O = Record<string, OptionRow>> {
  config: Config
  /** Values of the options; those that are required are there. */
  options: Values<O>
  /** One for each row of `arguments`, in their order. */
  arguments: readonly string[]
  /** Writes a line to standard error: progress, a remark. The result itself is what `run` resolves with. */
  note(line: string): void
  /** Writes a line to standard output at once, for a command that runs until it is interrupted. */
  print(line: string): void
  /** Aborted by Ctrl-C; once it has been called, Ctrl-C no longer ends the program. */
  interrupted(): AbortSignal
}

export interface Command<O = Record<string, OptionRow>> {
  /** As typed: `workspace create`. */
  name: string
  /** One line, without a full stop. */
  summary: string
  /** The rest of its own help, in whole sentences. */
  details?: string
  arguments?: readonly ArgumentRow[]
  options?: O
  /** It asks a running service and does not open the data folder. */
  isRemote?: boolean
  /** Resolves with the text for standard output. A rejection ends the program with code 1. */
  run(call: Call<O>): Promise<string>
}

/** A row whose `run` knows its own options by name and type. */
export const command = <const O extends Record<string, OptionRow>>(row: Command<O>): Command => row as unknown as Command

/** The command line was not understood: exit code 2, and a pointer to the help. */
export class UsageError extends Error {
  /** Of which command; absent: of none. */
  readonly command: string | undefined

  constructor(message: string, command?: string) {
    super(message)
    this.name = 'UsageError'
    this.command = command
  }
}
