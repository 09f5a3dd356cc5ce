import { BRAND } from '../domain/brand.ts'
import { CALLED } from './called.ts'
import type { Command } from './command.ts'

export const COMMON = {
  sandbox: { about: `use the data of \`${CALLED.sandbox}\`` },
  help: { about: 'show the help of the command', short: 'h' },
  version: { about: 'show the version', short: 'V' },
} as const

export function overview(commands: readonly Command[]): string {
  return [
    `${BRAND}: operator commands that work on the data folder`,
    '',
    `Usage: ${CALLED.cli} <command> [options]      (the same without npm: node dist/src/cli.js <command> [options])`,
    '',
    ...table([
      ...commands.map(({ name, summary }) => [name, summary] as const),
      ['help <command>', 'Show the arguments and options of a command'],
    ]),
    '',
    'Options of every command:',
    '',
    ...table(commonRows()),
    '',
    'Settings are read from the environment, as by the service: SVC_DATA_DIR is the data folder. No command creates a store.',
    'Exit codes: 0 success, 1 failure (the reason is on standard error), 2 invalid command line.',
    '',
  ].join('\n')
}

export function helpOf({ name, summary, details, arguments: args = [], options = {} }: Command): string {
  const written = Object.entries(options).map(([option, { value, required }]) => {
    const text = value === undefined ? `--${option}` : `--${option} ${value}`
    return required ? text : `[${text}]`
  })
  const rows = [
    ...args.map((arg) => [arg.name, arg.about] as const),
    ...Object.entries(options).map(
      ([option, { value, about }]) => [value === undefined ? `--${option}` : `--${option} ${value}`, about] as const,
    ),
    ...commonRows(),
  ]
  return [
    `Usage: ${[CALLED.cli, name, ...args.map((arg) => arg.name), ...written].join(' ')}`,
    '',
    `${summary}.${details === undefined ? '' : `\n${details}`}`,
    '',
    ...table(rows),
    '',
  ].join('\n')
}

const commonRows = () =>
  Object.entries(COMMON).map(
    ([option, row]) => ['short' in row ? `-${row.short}, --${option}` : `--${option}`, row.about] as const,
  )

function table(rows: readonly (readonly [name: string, about: string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, about]) => `  ${name.padEnd(width)}   ${about}`)
}
