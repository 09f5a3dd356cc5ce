/** `npm run client`: see `generate-client.ts` and `generate-n8n.ts`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endpoints } from '../src/features/index.ts'
import { clientSources, GENERATED } from './generate-client.ts'
import { N8N_GENERATED, n8nSource } from './generate-n8n.ts'

const { schema, operations } = clientSources(endpoints, fileURLToPath(new URL('../test/clients', import.meta.url)))
writeFileSync(join(GENERATED, 'schema.ts'), schema)
writeFileSync(join(GENERATED, 'operations.ts'), operations)
writeFileSync(N8N_GENERATED, n8nSource(endpoints))
