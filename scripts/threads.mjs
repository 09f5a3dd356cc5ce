/**
 * Bundles the code of each kind of thread: node scripts/threads.mjs FOLDER, where FOLDER is the output of the compiler
 * (dist, .built). One file loads in a third of the time of some hundred small modules. Some packages stay outside, in
 * node_modules (bundle-options.mjs). Nothing is done if nothing changed.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { inAscii, OPTIONS } from './bundle-options.mjs'

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
/** Main modules of the bundles, as paths in the output folder without an extension. */
const ENTRIES = [...THREADS.map((name) => `workers/${name}`), 'packages/sandbox/src/main']
const bundleOf = (entry) => join(compiled, `${entry}.bundle.js`)

const isSource = (name) => name.endsWith('.js') && !name.endsWith('.bundle.js')
const changedAt = (path) => statSync(path).mtimeMs
const sources = ['src', 'workers', 'packages/sandbox/src'].flatMap((folder) =>
  readdirSync(join(compiled, folder), { recursive: true })
    .filter(isSource)
    .map((name) => join(compiled, folder, name)),
)
/**
 * Files that change when packages are installed: npm's list of installed packages, and the stamp of the copy of
 * Baileys.
 */
const packages = ['node_modules/.package-lock.json', join(compiled, 'node_modules/.made')].filter((path) => existsSync(path))
const scripts = ['threads.mjs', 'bundle-options.mjs'].map((name) => fileURLToPath(new URL(name, import.meta.url)))
const newest = Math.max(...[...sources, ...packages, ...scripts].map(changedAt))
const isDone = ENTRIES.every((entry) => existsSync(bundleOf(entry)) && changedAt(bundleOf(entry)) > newest)

function write(outputFiles) {
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, path.endsWith('.map') ? text : inAscii(text))
  }
}

async function bundle(entry) {
  const { outputFiles } = await build({ ...OPTIONS, entryPoints: [join(compiled, `${entry}.js`)], outfile: bundleOf(entry) })
  write(outputFiles)
}

/**
 * Bundles the shard in two parts, so that V8 needs less memory to compile the larger one. With a single file, malloc
 * kept 9 MB that were used only during compilation. The second part is the code that the shard shares with the index
 * module of Baileys.
 */
async function bundleShard() {
  const chunks = 'workers/shard/chunks'
  const unused = 'library-index'
  rmSync(join(compiled, chunks), { recursive: true, force: true })
  const { outputFiles } = await build({
    ...OPTIONS,
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
