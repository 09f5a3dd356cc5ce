/** `npm run docs`: writes the README's table of features anew. A test holds the page equal to it (test/unit/features/readme.test.ts). */
import { readFileSync, writeFileSync } from 'node:fs'
import { endpoints } from '../src/features/index.ts'
import { featureTable, type Promised, withTable } from './feature-table.ts'

const README = new URL('../README.md', import.meta.url)
const promised: Promised = JSON.parse(readFileSync(new URL('./contract-operations.json', import.meta.url), 'utf8'))
const ids = endpoints.map(({ id }) => id)
writeFileSync(README, withTable(readFileSync(README, 'utf8'), featureTable(ids, promised)))
