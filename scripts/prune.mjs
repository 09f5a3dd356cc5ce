/**
 * After `npm prune --omit=dev`: takes packages away that npm installs with the service and that nothing of it loads. `npm ci` brings them back.
 * Some are peers or helpers of programs that a package has beside its library, and npm has no way to leave them out.
 */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'

const UNUSED = [
  // A peer of valibot, for its types: 31 MB.
  'typescript',
  '@typescript',
  // Types.
  '@types',
  'undici-types',
  // The command line of qrcode.
  'yargs',
  'yargs-parser',
  'cliui',
  'y18n',
  'require-main-filename',
  'require-directory',
  'get-caller-file',
  'which-module',
  'set-blocking',
  // The web server of unstorage, and what it watches files with.
  'h3',
  'crossws',
  'iron-webcrypto',
  'node-mock-http',
  'radix3',
  'uncrypto',
  'chokidar',
  'readdirp',
]

/** What lies beside the compiled service with less in it (`scripts/library.mjs`), and what only the form with all of it loads. */
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
