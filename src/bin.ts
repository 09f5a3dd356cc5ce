#!/usr/bin/env node
/**
 * The command of the package: `npx svc` starts the service, `npx svc sandbox` starts it on a simulated network, and
 * `npx svc cli …` runs an operator command. A shebang cannot give flags of node, because the `env` of BusyBox has no
 * option `-S`.
 */
import { restartFrugally } from './restart-frugally.ts'

const first = process.argv[2]
const isService = first !== 'cli'
if (isService) restartFrugally()
else process.argv.splice(2, 1)
if (first === 'sandbox') process.argv.splice(2, 1, '--sandbox')
await (isService ? import('./start.ts') : import('./cli.ts'))
