/** Makes the table in `docs/dashboard.md` of what an API key may do in the dashboard. */
import { RIGHTS, type Right } from '../src/domain/dashboard-rights.ts'

export const RIGHTS_SOURCE = 'src/domain/dashboard-rights.ts'

function needsOf({ scopes }: Right): string {
  if (scopes === null) return 'the admin key'
  return scopes.length === 0 ? 'no other scope' : scopes.map((scope) => `\`${scope}\``).join(' and ')
}

export const rightsTable = (): string =>
  [
    '| Page | To | A key needs, besides `instances:read` |',
    '|---|---|---|',
    ...Object.values<Right>(RIGHTS).map((right) => `| ${right.page} | ${right.may} | ${needsOf(right)} |`),
  ].join('\n')
