/**
 * Makes the table in `packages/sandbox/PROTOCOL.md` of the parts of the protocol that the simulated network supports.
 */
import { ANSWERED_QUERIES, MESSAGE_FORMS, NewFault } from '../packages/sandbox/src/testing.ts'

export const SANDBOX_SOURCE = 'packages/sandbox/src'

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

/** Returns the rows of queries, by namespace and type. `*` means any child, and `nothing` a query without a child. */
function queryRows(): string[] {
  const rows = new Map<string, string[]>()
  for (const query of ANSWERED_QUERIES) {
    const [xmlns = '', type = '', child = ''] = query.split(' ')
    const row = `query \`${xmlns}\`${type === '' ? '' : `, ${type}`}`
    rows.set(row, [...(rows.get(row) ?? []), child])
  }
  return [...rows].sort().map(([row, children]) => `| ${row} | ${code(children.sort())} |`)
}

export const sandboxTable = (): string =>
  [
    '| What | Which |',
    '|---|---|',
    ...queryRows(),
    `| messages that people and phones write | ${code([...MESSAGE_FORMS].sort())} |`,
    `| points at which a fault can be set | ${code(NewFault.entries.on.options)} |`,
  ].join('\n')
