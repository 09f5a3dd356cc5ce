/**
 * Builds `dist` if it is out of date. This script runs before each start. A tree without development packages (`npm
 * prune --omit=dev`) cannot be built, so its existing build is used.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const COMPILER = 'node_modules/typescript/bin/tsc'
const BUNDLER = 'node_modules/esbuild'
const BUILT = 'dist/src/start.js'
const run = (...args) => spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1

if (existsSync(COMPILER) && existsSync(BUNDLER)) {
  if (!existsSync(BUILT)) process.stderr.write('Compiling the service, which takes some seconds the first time …\n')
  process.exitCode =
    run('scripts/stale.mjs', 'dist') ||
    run(COMPILER, '-p', 'tsconfig.build.json') ||
    run('scripts/library.mjs', 'dist') ||
    run('scripts/threads.mjs', 'dist') ||
    run('scripts/dashboard.mjs', 'dist')
} else if (!existsSync(BUILT)) {
  process.stderr.write(
    'Nothing is built, and what builds it is not installed: npm ci && npm run build, then npm prune --omit=dev.\n',
  )
  process.exitCode = 1
}
