/**
 * Generates the types and forms of the dashboard from the OpenAPI description: node --import tsx
 * scripts/dashboard-types.mjs. They are written to src/dashboard/generated, and only if the description changed.
 */
import './typescript-5.mjs'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { endpoints } from '../src/features/index.ts'
import { describe } from '../src/http/description/openapi.ts'
import { writeForms } from './dashboard-forms.mjs'

const FOLDER = new URL('../src/dashboard/generated/', import.meta.url)
const TYPES = new URL('description.d.ts', FOLDER)

mkdirSync(FOLDER, { recursive: true })
const { json, etag } = describe(endpoints)
const mark = `// Of the description ${etag}\n`
writeForms(JSON.parse(json))
if (!existsSync(TYPES) || !readFileSync(TYPES, 'utf8').startsWith(mark)) {
  const { default: generate, astToString } = await import('openapi-typescript')
  writeFileSync(TYPES, mark + astToString(await generate(json)))
}
