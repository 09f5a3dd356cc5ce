/** `npm run client`: see `generate-client.ts` and `generate-n8n.ts`. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endpoints } from '../src/features/index.ts'
import { clientSources, GENERATED } from './generate-client.ts'
import { N8N_GENERATED, n8nSource } from './generate-n8n.ts'

const tools = fileURLToPath(new URL('../test/clients', import.meta.url))
if (!existsSync(join(tools, 'node_modules'))) {
  process.stderr.write('The generator of the types is not installed; run `npm ci --omit=dev --prefix test/clients` first.\n')
  process.exit(1)
}
const { schema, operations } = clientSources(endpoints, tools)
writeFileSync(join(GENERATED, 'schema.ts'), schema)
writeFileSync(join(GENERATED, 'operations.ts'), operations)
writeFileSync(N8N_GENERATED, n8nSource(endpoints))
