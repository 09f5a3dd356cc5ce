/**
 * Makes the table of operations in `docs/api-operations.md`. `contract-operations.json` is a copy of the operation ids
 * that the API contract promises, because the contract is not in this repository.
 */
import { AREAS, areaOf } from '../src/features/areas.ts'

/** The ids of the promised operations by area (the first part of an id), in the order of the table. */
export type Promised = Readonly<Record<string, readonly string[]>>

const beginOf = (source: string) => `<!-- The table is made by \`npm run docs\` from ${source}. -->`
const END = '<!-- End of the table. -->'

export function featureTable(ids: readonly string[], promised: Promised): string {
  const rows: string[] = []
  let built = 0
  let total = 0
  for (const area of new Set([...Object.keys(promised), ...ids.map(areaOf)])) {
    const wanted = promised[area] ?? []
    const declared = ids.filter((id) => areaOf(id) === area).map(nameOf)
    const ready = wanted.filter((name) => declared.includes(name))
    const missing = wanted.filter((name) => !declared.includes(name))
    const more = declared.filter((name) => !wanted.includes(name))
    built += ready.length
    total += wanted.length
    const cells = [
      AREAS[area]?.title ?? area,
      `\`${area}\``,
      `${ready.length} of ${wanted.length}`,
      [...ready, ...more].join(', '),
      missing.join(', '),
    ]
    rows.push(`| ${cells.join(' | ')} |`)
  }
  return [
    `The contract, \`docs/contract-operations.json\`, lists the operations that the service promises: ${total}, of which the service has ${built}. The service also has operations that are not in that list; the table names them, too.`,
    '',
    '| Area | In ids | Of the contract | Operations | Missing |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

/** `source`: the folder or file from which the table is generated. */
export function withTable(page: string, table: string, source = 'src/features'): string {
  const begin = beginOf(source)
  const from = page.indexOf(begin)
  const to = page.indexOf(END)
  if (from < 0 || to < from) throw new Error(`The page has no place for the table, between "${begin}" and "${END}".`)
  return `${page.slice(0, from)}${begin}\n${table}\n${page.slice(to)}`
}

const nameOf = (id: string) => id.slice(id.indexOf('.') + 1)
