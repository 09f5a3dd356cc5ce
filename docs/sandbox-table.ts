/**
 * Makes the table in `packages/sandbox/PROTOCOL.md` of the parts of the protocol that the simulated network supports.
 */
import { NewFault } from '../workers/simulator/control/schemas/network.ts'
import { ANSWERED_QUERIES } from '../workers/simulator/network/queries/index.ts'
import { MESSAGE_FORMS } from '../workers/simulator/people/compose.ts'

export const SANDBOX_SOURCE = 'workers/simulator'

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
