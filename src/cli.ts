/** Operator commands. Those on the data folder need no credential, because access to the folder is the permission. */
import './refuse-old-node.ts'
import { CALLED } from './commands/called.ts'
import { UsageError } from './commands/command.ts'
import { helpOf, overview } from './commands/help.ts'
import { COMMANDS } from './commands/index.ts'
import { parse } from './commands/parse.ts'
import { complaint } from './complaint.ts'
import { readConfig } from './config.ts'
import { BRAND, VERSION } from './domain/brand.ts'

const FAILED = 1
const NOT_UNDERSTOOD = 2

const print = (line: string) => void process.stdout.write(`${line}\n`)
const note = (line: string) => void process.stderr.write(`${line}\n`)

function interrupted(): AbortSignal {
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())
  return ending.signal
}

async function answer(words: readonly string[]): Promise<string> {
  const wanted = parse(COMMANDS, words)
  if (wanted.do === 'version') return `${BRAND} ${VERSION}\n`
  if (wanted.do === 'help') return wanted.of ? helpOf(wanted.of) : overview(COMMANDS)
  const { config, warnings } = readConfig({ sandbox: wanted.sandbox })
  for (const warning of warnings) note(warning)
  if (!wanted.command.isRemote) note(`Data folder: ${config.dataDir}`)
  return wanted.command.run({ config, note, print, interrupted, ...wanted.given })
}

answer(process.argv.slice(2)).then(
  (text) => process.stdout.write(text),
  (error: unknown) => {
    process.stderr.write(`${BRAND}: ${complaint(error)}`)
    process.exitCode = FAILED
    if (!(error instanceof UsageError)) return
    note(`See: ${CALLED.cli} help${error.command === undefined ? '' : ` ${error.command}`}`)
    process.exitCode = NOT_UNDERSTOOD
  },
)
