/**
 * Removes packages that the service does not load. Run it after `npm prune --omit=dev`, which keeps them: some are peer
 * dependencies, and others belong to the command line of a package.
 */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'

const UNUSED = [
  // TypeScript takes 31 MB. It is a peer dependency of valibot, which uses only the types of TypeScript.
  'typescript',
  '@typescript',
  // These packages contain only types.
  '@types',
  'undici-types',
  // Only the command line of qrcode uses these packages, and the service never starts it.
  'yargs',
  'yargs-parser',
  'cliui',
  'y18n',
  'require-main-filename',
  'require-directory',
  'get-caller-file',
  'which-module',
  'set-blocking',
  // Only two parts of unstorage use these packages, its web server and its file watcher, which the service never loads.
  'h3',
  'crossws',
  'iron-webcrypto',
  'node-mock-http',
  'radix3',
  'uncrypto',
  'chokidar',
  'readdirp',
]

/**
 * Packages that are not needed because the compiled service has its own, smaller copy of Baileys and of its WebAssembly
 * module (`scripts/library.mjs`). The list also has the packages that only Baileys and this module load.
 */
const BESIDE = [
  '@whiskeysockets',
  'whatsapp-rust-bridge',
  '@cacheable',
  'cacheable',
  '@keyv',
  'keyv',
  'hashery',
  'hookified',
  'qified',
]

const folder = new URL('../node_modules/', import.meta.url)
const isBeside = existsSync(new URL('../dist/node_modules/.made', import.meta.url))
const names = isBeside ? [...UNUSED, ...BESIDE] : UNUSED
await Promise.all(names.map((name) => rm(new URL(name, folder), { recursive: true, force: true })))
