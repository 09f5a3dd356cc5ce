/**
 * `npm run docs`: writes the tables of operations (`docs/api-operations.md`), of rights (`docs/dashboard.md`), and of
 * the protocol (`packages/sandbox/PROTOCOL.md`). A test checks that they are up to date
 * (`test/unit/features/operations-page.test.ts`).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { endpoints } from '../src/features/index.ts'
import { featureTable, type Promised, withTable } from './feature-table.ts'
import { RIGHTS_SOURCE, rightsTable } from './rights-table.ts'
import { SANDBOX_SOURCE, sandboxTable } from './sandbox-table.ts'

function rewrite(name: string, table: string, source?: string): void {
  const page = new URL(`./${name}`, import.meta.url)
  writeFileSync(page, withTable(readFileSync(page, 'utf8'), table, source))
}

const promised: Promised = JSON.parse(readFileSync(new URL('./contract-operations.json', import.meta.url), 'utf8'))
const ids = endpoints.map(({ id }) => id)
rewrite('api-operations.md', featureTable(ids, promised))
rewrite('dashboard.md', rightsTable(), RIGHTS_SOURCE)
rewrite('../packages/sandbox/PROTOCOL.md', sandboxTable(), SANDBOX_SOURCE)
