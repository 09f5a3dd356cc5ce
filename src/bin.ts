#!/usr/bin/env -S node --max-semi-space-size=2 --v8-pool-size=1
/**
 * The command of the package: `npx svc` starts the service, `npx svc sandbox` the service on a simulated network, and
 * `npx svc cli …` runs an operator command.
 */
const [, , first] = process.argv
if (first === 'cli') process.argv.splice(2, 1)
if (first === 'sandbox') process.argv.splice(2, 1, '--sandbox')
await (first === 'cli' ? import('./cli.ts') : import('./start.ts'))

export {}
