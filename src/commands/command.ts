/** What an operator command is: a row of the table in `index.ts`. Its help, its parsing and its exit code follow from the row. */
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

/** What a command is run with. */
export interface Call<O = Record<string, OptionRow>> {
  config: Config
  /** Values of the options; those that are required are there. */
  options: Values<O>
  /** One for each row of `arguments`, in their order. */
  arguments: readonly string[]
  /** A line on standard error: progress, a remark. What was asked for is what `run` resolves with. */
  note(line: string): void
}

export interface Command<O = Record<string, OptionRow>> {
  /** As typed: `workspace create`. */
  name: string
  /** One line, without a full stop. */
  summary: string
  /** What more its own help says, whole sentences. */
  details?: string
  arguments?: readonly ArgumentRow[]
  options?: O
  /** Resolves with what is written to standard output. Whatever it rejects with ends the program with code 1. */
  run(call: Call<O>): Promise<string>
}

/** A row whose `run` knows its own options by name and type. */
export const command = <const O extends Record<string, OptionRow>>(row: Command<O>): Command => row as unknown as Command

/** The command line was not understood: code 2, and where the help is. */
export class UsageError extends Error {
  /** Of which command; absent: of none. */
  readonly command: string | undefined

  constructor(message: string, command?: string) {
    super(message)
    this.name = 'UsageError'
    this.command = command
  }
}
