/** `npm run client`: see `generate-client.ts`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endpoints } from '../src/features/index.ts'
import { clientSources, GENERATED } from './generate-client.ts'

const { schema, operations } = clientSources(endpoints, fileURLToPath(new URL('../test/clients', import.meta.url)))
writeFileSync(join(GENERATED, 'schema.ts'), schema)
writeFileSync(join(GENERATED, 'operations.ts'), operations)
