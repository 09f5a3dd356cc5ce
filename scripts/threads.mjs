/**
 * Bundles the code of each kind of thread: node scripts/threads.mjs FOLDER, where FOLDER is the output of the compiler
 * (dist, .built). Loading one file takes a third of the time of loading some hundred small modules, which matters when
 * a dead thread is replaced.
 * Some packages stay outside, in node_modules: those listed below, and those that are loaded at their first use.
 * Nothing is done if nothing changed.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const compiled = process.argv[2]
const THREADS = [
  'shard/main',
  'webhook-log/main',
  'archive/main',
  'media/main',
  'media/convert',
  'media/download',
  'media/copy',
  'media/heic-thread',
  'media/program-host',
]
const SHARD = 'workers/shard/main'
/** Main modules, as paths in the output folder without an extension. */
const ENTRIES = [...THREADS.map((name) => `workers/${name}`), 'packages/sandbox/src/main']
/**
 * Packages with native or WebAssembly parts, or that search for their own files at run time, and the packages that such packages share with others.
 */
const OUTSIDE = ['lmdb', 'sharp', 'whatsapp-rust-bridge', 'libheif-js', 'piscina', 'protobufjs', 'long']
/** The definitions of messages, which the library's own modules import by a path: otherwise each bundle would have another copy of 3 MB. */
const DEFINITIONS = '@whiskeysockets/baileys/WAProto/index.js'
const isOutside = (path) => OUTSIDE.some((name) => path === name || path.startsWith(`${name}/`))

/**
 * Modules that a bundle loads through Node: the packages above, the definitions, and packages that are loaded at their
 * first use.
 */
const outside = {
  name: 'outside',
  setup({ onResolve }) {
    onResolve({ filter: /WAProto\/index\.js$/ }, () => ({ path: DEFINITIONS, external: true }))
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'dynamic-import' || isOutside(path) ? { path, external: true } : undefined,
    )
  },
}

const bundleOf = (entry) => join(compiled, `${entry}.bundle.js`)

const isSource = (name) => name.endsWith('.js') && !name.endsWith('.bundle.js')
const changedAt = (path) => statSync(path).mtimeMs
const sources = ['src', 'workers', 'packages/sandbox/src'].flatMap((folder) =>
  readdirSync(join(compiled, folder), { recursive: true })
    .filter(isSource)
    .map((name) => join(compiled, folder, name)),
)
/**
 * Files that change when packages are installed: npm's list of installed packages, and the stamp of the library's copy.
 */
const packages = ['node_modules/.package-lock.json', join(compiled, 'node_modules/.made')].filter((path) => existsSync(path))
const newest = Math.max(...[...sources, ...packages, fileURLToPath(import.meta.url)].map(changedAt))
const isDone = ENTRIES.every((entry) => existsSync(bundleOf(entry)) && changedAt(bundleOf(entry)) > newest)

/**
 * A single character that is not ASCII makes V8 store all of the code with two bytes per character. Only comments have
 * such characters, because esbuild escapes them elsewhere.
 */
const inAscii = (code) => code.replace(/[\u0080-\uffff]/g, '?')

const bundled = {
  write: false,
  bundle: true,
  plugins: [outside],
  banner: { js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);" },
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Stack traces show the sources, as in the compiled modules.
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
}

function write(outputFiles) {
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, path.endsWith('.map') ? text : inAscii(text))
  }
}

async function bundle(entry) {
  const { outputFiles } = await build({ ...bundled, entryPoints: [join(compiled, `${entry}.js`)], outfile: bundleOf(entry) })
  write(outputFiles)
}

/**
 * Bundles the shard in two parts, so that V8 needs less memory to compile the larger one: malloc kept 9 MB of what it
 * needed for a single file. One part is the code that the shard shares with the library's index.
 */
async function bundleShard() {
  const chunks = 'workers/shard/chunks'
  const unused = 'library-index'
  rmSync(join(compiled, chunks), { recursive: true, force: true })
  const { outputFiles } = await build({
    ...bundled,
    entryPoints: [
      { in: join(compiled, `${SHARD}.js`), out: `${SHARD}.bundle` },
      { in: '@whiskeysockets/baileys', out: unused },
    ],
    outdir: compiled,
    splitting: true,
    chunkNames: `${chunks}/[name]-[hash].bundle`,
  })
  write(outputFiles.filter(({ path }) => !path.includes(unused)))
}

if (!isDone) await Promise.all(ENTRIES.map((entry) => (entry === SHARD ? bundleShard() : bundle(entry))))
