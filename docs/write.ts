/** `npm run docs`: writes the table of operations in `docs/api-operations.md`. A test holds both equal (test/unit/features/operations-page.test.ts). */
import { readFileSync, writeFileSync } from 'node:fs'
import { endpoints } from '../src/features/index.ts'
import { featureTable, type Promised, withTable } from './feature-table.ts'

const PAGE = new URL('./api-operations.md', import.meta.url)
const promised: Promised = JSON.parse(readFileSync(new URL('./contract-operations.json', import.meta.url), 'utf8'))
const ids = endpoints.map(({ id }) => id)
writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), featureTable(ids, promised)))
