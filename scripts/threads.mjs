/**
 * Bundles the code of each kind of thread: node scripts/threads.mjs FOLDER, the folder that the service was compiled to (dist, .built). Beside each
 * main module of a thread it writes `<name>.bundle.js`, which is what runs (src/engine/thread.ts). Each new thread loads its code anew, and some 450
 * small modules of ours and as many of packages cost it more than a second of a core where one file costs a third of that: it counts where a thread
 * that died is replaced.
 *
 * Some packages stay outside, in node_modules: those listed below, and what is loaded when it is first needed. Nothing is done where nothing changed.
 */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
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
/** Packages with native or WebAssembly parts, or that look for files of theirs at run time, and what such packages share with others. */
const OUTSIDE = ['lmdb', 'sharp', 'whatsapp-rust-bridge', 'libheif-js', 'piscina', 'protobufjs', 'long']
/** The definitions of messages, which the library's own modules name by a path: 3 MB that each bundle would hold anew. */
const DEFINITIONS = '@whiskeysockets/baileys/WAProto/index.js'
const isOutside = (path) => OUTSIDE.some((name) => path === name || path.startsWith(`${name}/`))

/** What a bundle leaves to Node: the packages above, the definitions, and packages that are loaded when they are first needed. */
const outside = {
  name: 'outside',
  setup({ onResolve }) {
    onResolve({ filter: /WAProto\/index\.js$/ }, () => ({ path: DEFINITIONS, external: true }))
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'dynamic-import' || isOutside(path) ? { path, external: true } : undefined,
    )
  },
}

const bundleOf = (entry) => join(compiled, 'workers', `${entry}.bundle.js`)

const isSource = (name) => name.endsWith('.js') && !name.endsWith('.bundle.js')
const changedAt = (path) => statSync(path).mtimeMs
const sources = ['src', 'workers'].flatMap((folder) =>
  readdirSync(join(compiled, folder), { recursive: true })
    .filter(isSource)
    .map((name) => join(compiled, folder, name)),
)
/** What says when packages came: npm's own list, and the library's beside the compiled service. */
const packages = ['node_modules/.package-lock.json', join(compiled, 'node_modules/.made')].filter((path) => existsSync(path))
const newest = Math.max(...[...sources, ...packages, fileURLToPath(import.meta.url)].map(changedAt))
const isDone = ENTRIES.every((entry) => existsSync(bundleOf(entry)) && changedAt(bundleOf(entry)) > newest)

/** What is not ASCII is in comments alone: esbuild escapes it elsewhere. A single such character makes V8 keep all of the code with two bytes each. */
const inAscii = (code) => code.replace(/[\u0080-\uffff]/g, '?')

async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [join(compiled, 'workers', `${entry}.js`)],
    outfile: bundleOf(entry),
    write: false,
    bundle: true,
    plugins: [outside],
    // Packages of CommonJS load what is Node's own with it.
    banner: { js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);" },
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Stack traces name the sources, as in the compiled modules.
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  })
  for (const { path, text } of outputFiles) writeFileSync(path, path.endsWith('.map') ? text : inAscii(text))
}

if (!isDone) await Promise.all(ENTRIES.map(bundle))
