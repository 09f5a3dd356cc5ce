/**
 * `npm run build`: bundles each node and the credential into a file of its own, as n8n requires. The bundles include
 * the code of `svc-client` that they use. The first argument is the folder for the output, `dist` by default.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = dirname(fileURLToPath(import.meta.url))
const dist = process.argv[2] ?? join(root, 'dist')
const entries = [
  'credentials/SvcApi.credentials',
  'nodes/Svc/Svc.node',
  'nodes/SvcTrigger/SvcTrigger.node',
  'nodes/SvcStreamTrigger/SvcStreamTrigger.node',
]

/** Replaces the timers of the client package by timers of n8n (`lib/timers.ts`). */
const timersOfN8n = {
  name: 'timers of n8n',
  setup: ({ onResolve }) => onResolve({ filter: /\/timers\.ts$/ }, () => ({ path: join(root, 'lib/timers.ts') })),
}

rmSync(dist, { recursive: true, force: true })
await build({
  absWorkingDir: root,
  entryPoints: entries.map((name) => `${name}.ts`),
  outdir: dist,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['n8n-workflow'],
  plugins: [timersOfN8n],
})
cpSync(join(root, 'icons'), join(dist, 'icons'), { recursive: true })
writeTypes()

function writeTypes() {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-nodes-svc-'))
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  try {
    execFileSync(process.execPath, [tsc, '-p', root, '--noEmit', 'false', '--emitDeclarationOnly', '--outDir', folder], {
      stdio: 'inherit',
    })
    for (const name of entries) {
      mkdirSync(dirname(join(dist, name)), { recursive: true })
      cpSync(join(folder, 'n8n-nodes-svc', `${name}.d.ts`), join(dist, `${name}.d.ts`))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
