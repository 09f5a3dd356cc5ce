/**
 * After `npm prune --omit=dev`: takes packages away that npm installs with the service and that nothing of it loads. `npm ci` brings them back.
 * Some are peers or helpers of programs that a package has beside its library, and npm has no way to leave them out.
 */
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

const folder = new URL('../node_modules/', import.meta.url)
await Promise.all(UNUSED.map((name) => rm(new URL(name, folder), { recursive: true, force: true })))
