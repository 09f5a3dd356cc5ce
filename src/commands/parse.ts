import { parseArgs } from 'node:util'
import { type Call, type Command, UsageError } from './command.ts'
import { COMMON } from './help.ts'

export type Wanted =
  | { do: 'version' }
  | { do: 'help'; of?: Command }
  | { do: 'run'; command: Command; sandbox: boolean; given: Pick<Call, 'options' | 'arguments'> }

const FLAGS = Object.fromEntries(
  Object.entries(COMMON).map(([name, row]) => [
    name,
    { type: 'boolean' as const, ...('short' in row ? { short: row.short } : {}) },
  ]),
)

/** Parses the command line. Throws `UsageError`. */
export function parse(commands: readonly Command[], words: readonly string[]): Wanted {
  // The command decides which options exist, so its name is looked up first.
  const { positionals, values } = parseArgs({ args: [...words], options: FLAGS, strict: false, allowPositionals: true })
  if (values['version'] === true) return { do: 'version' }
  const isHelp = positionals[0] === 'help' || values['help'] === true
  const typed = positionals[0] === 'help' ? positionals.slice(1) : positionals
  if (typed.length === 0) {
    const stray = isHelp ? undefined : words.find((word) => word.startsWith('-') && word !== '--sandbox')
    if (stray !== undefined) throw new UsageError(`${stray} can be used only after a command, and none was given.`)
    return { do: 'help' }
  }
  const command = find(commands, typed)
  return isHelp ? { do: 'help', of: command } : { do: 'run', command, ...read(command, words) }
}

function find(commands: readonly Command[], typed: readonly string[]): Command {
  const fitting = commands.filter(({ name }) => name.split(' ').every((word, index) => typed[index] === word))
  const found = fitting.sort((one, other) => other.name.length - one.name.length)[0]
  if (found) return found
  const near = commands.filter(({ name }) => name.startsWith(`${typed[0]} `)).map(({ name }) => name)
  const known = near.length > 0 ? near : commands.map(({ name }) => name)
  throw new UsageError(`Unknown command "${typed.join(' ')}"; the commands are ${known.join(', ')}.`)
}

function read({ name, arguments: args = [], options = {} }: Command, words: readonly string[]) {
  const rows = Object.entries(options).map(([option, { value }]) => [
    option,
    { type: value === undefined ? 'boolean' : 'string' },
  ])
  const { positionals, values } = strictly(name, () =>
    parseArgs({
      args: [...words],
      options: { ...FLAGS, ...(Object.fromEntries(rows) as Record<string, { type: 'string' | 'boolean' }>) },
      allowPositionals: true,
    }),
  )
  const given = positionals.slice(name.split(' ').length)
  const missing = args[given.length]
  if (missing) throw new UsageError(`${missing.name} is missing: ${missing.about}.`, name)
  if (given.length > args.length) throw new UsageError(`Unexpected argument "${given[args.length]}".`, name)
  for (const [option, { required, about }] of Object.entries(options))
    if (required && values[option] === undefined) throw new UsageError(`--${option} is missing: ${about}.`, name)
  const { sandbox, help, version, ...own } = values
  const flags = Object.entries(options).flatMap(([option, { value }]) =>
    value === undefined ? [[option, own[option] === true]] : [],
  )
  return { sandbox: sandbox === true, given: { options: { ...own, ...Object.fromEntries(flags) }, arguments: given } }
}

/**
 * Matches advice of Node in an error about an unknown option. It is removed, because no argument of a command looks
 * like an option.
 */
const ADVICE = /\. To specify a positional argument .*$/s

/**
 * Calls `read` and turns Node's errors about wrong flags into a `UsageError`, because they are mistakes of the caller
 * and not failures of the command.
 */
function strictly<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
      throw new UsageError(error.message.replace(ADVICE, '.'), name)
    throw error
  }
}
