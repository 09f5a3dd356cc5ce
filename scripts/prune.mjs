/**
 * After `npm prune --omit=dev`: removes packages that npm installs with the service and that the service never loads. `npm ci` installs them again.
 * Some are peers, or helpers of a package's command line, and npm has no option to omit them.
 */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'

const UNUSED = [
  // A peer of valibot, only for its types: 31 MB.
  'typescript',
  '@typescript',
  // Packages of types.
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
  // The web server of unstorage, and its file watcher.
  'h3',
  'crossws',
  'iron-webcrypto',
  'node-mock-http',
  'radix3',
  'uncrypto',
  'chokidar',
  'readdirp',
]

/** Packages of which a smaller copy is beside the compiled service (`scripts/library.mjs`), and packages that only the full copy loads. */
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
