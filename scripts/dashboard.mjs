/**
 * Bundles the dashboard: node scripts/dashboard.mjs FOLDER, where FOLDER is the output of the compiler (dist, .built). The result is in
 * FOLDER/dashboard: index.html, and its files in assets/, each named by a hash of its content. Nothing is done if no source changed.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { writeForms } from './dashboard-forms.mjs'

const compiled = process.argv[2]
const folder = join(compiled, 'dashboard')
const assets = join(folder, 'assets')
const page = join(folder, 'index.html')
const SOURCES = ['src/dashboard', 'src/domain', 'src/features', 'src/http/description', 'scripts', 'package-lock.json']

const newest = (path) =>
  !existsSync(path)
    ? 0
    : statSync(path).isDirectory()
      ? Math.max(0, ...readdirSync(path, { recursive: true }).map((name) => statSync(join(path, name)).mtimeMs))
      : statSync(path).mtimeMs

/** Licence notice of the bundled packages. It is part of the script, because each visitor receives these packages. */
const NOTICE =
  '/*! Contains preact, @preact/signals, openapi-fetch and eventsource-parser, each under the MIT license: see node_modules/<name>/LICENSE of the service. */'

async function bundle() {
  const { metafile } = await build({
    entryPoints: ['src/dashboard/main.tsx', 'src/dashboard/style.css'],
    outdir: assets,
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    tsconfig: 'src/dashboard/tsconfig.json',
    banner: { js: NOTICE },
    legalComments: 'inline',
    metafile: true,
    logLevel: 'warning',
  })
  return Object.keys(metafile.outputs).map((path) => basename(path))
}

async function description() {
  const load = (path) => import(pathToFileURL(join(compiled, path)).href)
  const { endpoints } = await load('src/features/index.js')
  const { describe } = await load('src/http/description/openapi.js')
  return JSON.parse(describe(endpoints).json)
}

if (!existsSync(page) || Math.max(...SOURCES.map(newest)) > statSync(page).mtimeMs) {
  writeForms(await description())
  mkdirSync(assets, { recursive: true })
  const made = await bundle()
  const nameOf = (entry) =>
    made.find((name) => name.startsWith(`${entry.split('.')[0]}-`) && name.endsWith(entry.slice(entry.indexOf('.'))))
  const html = readFileSync('src/dashboard/index.html', 'utf8').replace(/\{([a-z.]+)\}/g, (_, entry) => `assets/${nameOf(entry)}`)
  // The page is replaced atomically after its files are written. Until then visitors get the previous page, whose files
  // still exist.
  const written = `${page}.${process.pid}`
  writeFileSync(written, html)
  renameSync(written, page)
  for (const name of readdirSync(assets)) if (!made.includes(name)) rmSync(join(assets, name), { force: true })
}
