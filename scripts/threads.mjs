/**
 * Bundles the code of each kind of thread: node scripts/threads.mjs FOLDER, the folder that the service was compiled to (dist, .built). Beside each
 * main module of a thread it writes `<name>.bundle.js`, which is what runs (src/engine/thread.ts). Each new thread loads its code anew, and some 450
 * small modules cost it more than a second of a core where one file costs a third of that: it counts where a thread that died is replaced.
 *
 * Packages stay outside, in node_modules. Nothing is done where nothing changed.
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const compiled = process.argv[2]
/** Main modules of threads, and of the process that starts other programs. */
const ENTRIES = [
  'shard/main',
  'simulator/main',
  'webhook-log/main',
  'media/main',
  'media/convert',
  'media/download',
  'media/heic-thread',
  'media/program-host',
]
const bundleOf = (entry) => join(compiled, 'workers', `${entry}.bundle.js`)

const isSource = (name) => name.endsWith('.js') && !name.endsWith('.bundle.js')
const changedAt = (path) => statSync(path).mtimeMs
const sources = ['src', 'workers'].flatMap((folder) =>
  readdirSync(join(compiled, folder), { recursive: true })
    .filter(isSource)
    .map((name) => join(compiled, folder, name)),
)
const newest = Math.max(...[...sources, fileURLToPath(import.meta.url)].map(changedAt))
const isDone = ENTRIES.every((entry) => existsSync(bundleOf(entry)) && changedAt(bundleOf(entry)) > newest)

if (!isDone) {
  await Promise.all(
    ENTRIES.map((entry) =>
      build({
        entryPoints: [join(compiled, 'workers', `${entry}.js`)],
        outfile: bundleOf(entry),
        bundle: true,
        packages: 'external',
        platform: 'node',
        format: 'esm',
        target: 'node20',
        // Stack traces name the sources, as in the compiled modules.
        sourcemap: true,
        sourcesContent: false,
        logLevel: 'warning',
      }),
    ),
  )
}
