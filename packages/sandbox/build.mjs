/**
 * Builds the package: node build.mjs FOLDER. The code in `src` becomes one bundle. The bundle also contains two parts
 * of Baileys: the definitions of messages, and the codec of binary nodes. All other packages are dependencies.
 * NOTICE.md names the bundled code.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Names of the modules that `package.json` exports. */
const DOORS = ['index', 'baileys', 'sandbox-thread']
const HERE = fileURLToPath(new URL('.', import.meta.url))
const ROOT = join(HERE, '../..')
const out = resolve(process.argv[2] ?? 'dist')
const { dependencies } = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'))
const external = Object.keys(dependencies).flatMap((name) => [name, `${name}/*`])
const common = { bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning', external }

/** Matches the definitions of messages, 4 MB of generated code. They become a separate file without white space. */
const DEFINITIONS = /WAProto\/index\.js$/
const definitionsApart = {
  name: 'definitions apart',
  setup({ onResolve }) {
    onResolve({ filter: DEFINITIONS }, () => ({ path: './definitions.js', external: true }))
  },
}

async function code() {
  const entries = Object.fromEntries([...DOORS, 'cli'].map((name) => [name, join(HERE, `src/${name}.ts`)]))
  // `sandbox-thread` starts this bundle as a thread.
  entries['main.bundle'] = join(HERE, 'src/main.ts')
  await build({ ...common, entryPoints: entries, outdir: out, splitting: true, plugins: [definitionsApart] })
  const definitions = createRequire(join(ROOT, 'package.json')).resolve('@whiskeysockets/baileys/WAProto/index.js')
  await build({ ...common, entryPoints: [definitions], outfile: join(out, 'definitions.js'), minifyWhitespace: true })
}

/**
 * Writes the declaration files that the package needs. The compiler creates those of all modules, so the unneeded ones
 * are removed.
 */
function types() {
  const all = join(out, 'all-types')
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, '-p', HERE, '--outDir', all], { stdio: 'inherit' })
  const taken = new Set()
  const take = (file) => {
    if (taken.has(file)) return
    taken.add(file)
    const to = join(out, 'types', relative(all, file))
    mkdirSync(dirname(to), { recursive: true })
    cpSync(file, to)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*['"](\.[^'"]+)\.(?:ts|js)['"]/g))
      take(join(dirname(file), `${path}.d.ts`))
  }
  for (const name of DOORS) take(join(all, `${name}.d.ts`))
  rmSync(all, { recursive: true })
}

rmSync(out, { recursive: true, force: true })
await code()
types()
