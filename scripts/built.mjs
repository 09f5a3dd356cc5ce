/**
 * Brings `dist` up to date before it runs. A production tree (`npm prune --omit=dev`, `npm ci --omit=dev`) has no compiler: there what
 * was built before is what runs.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const COMPILER = 'node_modules/typescript/bin/tsc'
const run = (...args) => spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1

if (existsSync(COMPILER)) {
  process.exitCode =
    run(COMPILER, '-p', 'tsconfig.build.json') || run('scripts/library.mjs', 'dist') || run('scripts/dashboard.mjs', 'dist')
} else if (!existsSync('dist/src/start.js')) {
  process.stderr.write(
    'Nothing is built, and the compiler is not installed: npm ci && npm run build, then npm prune --omit=dev.\n',
  )
  process.exitCode = 1
}
