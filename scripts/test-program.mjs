/**
 * Bundles code that tests load often: the programs that they start, the service that they run in their own process, and
 * packages that nearly every test loads. Usage: node scripts/test-program.mjs FOLDER, where FOLDER is the output of the
 * compiler (.built). Tests start the service some hundred times. With a bundle Node loads a few files instead of
 * several hundred, so a start takes a fifth less processor time. Modules that a program loads at their first use are
 * separate files.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { build } from 'esbuild'
import { inAscii, OPTIONS } from './bundle-options.mjs'

const MODULES = ['src/start', 'src/cli', 'test/harness/own-place', 'test/harness/world-host', 'test/harness/signatures']
const compiled = resolve(process.argv[2])
const folder = join(compiled, 'program')

/**
 * esbuild plugin that keeps the address (`import.meta.url`) that each module has in the output of the compiler. Modules
 * find other files by their own address.
 */
const addresses = {
  name: 'addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(compiled) || path.includes('node_modules')) return
      const address = `new URL(${JSON.stringify(relative(folder, path))}, import.meta.url).href`
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', address), loader: 'js' }
    })
  },
}

const { outputFiles } = await build({
  ...OPTIONS,
  entryPoints: MODULES.map((name) => ({ in: join(compiled, `${name}.js`), out: basename(name) })),
  outdir: folder,
  splitting: true,
  plugins: [...OPTIONS.plugins, addresses],
})
// The names of some files contain hashes, so a new build would not overwrite the files of an earlier one.
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const { path, text } of outputFiles) writeFileSync(path, path.endsWith('.map') ? text : inAscii(text))
