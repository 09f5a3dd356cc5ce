/**
 * Puts a smaller copy of Baileys ("the library") beside the compiled service: node scripts/library.mjs FOLDER, where
 * FOLDER is the output of the compiler (dist, .built). Node finds FOLDER/node_modules before the node_modules of the
 * checkout. Each shard has a copy of all code in memory, so the copy is smaller in these ways:
 *
 * - WAProto/index.js has 672 messages and enumerations in 4.4 MB. Each is created at its first use, and white space is
 *   removed.
 * - lib/WAM has the statistics events and their writer. Only the parts of lib/WAM that every socket creates are kept;
 *   nothing uses the rest.
 * - lib/Socket and lib/Utils use our small cache (scripts/library-cache.mjs) in place of @cacheable/node-cache.
 * - The two programs of whatsapp-rust-bridge are texts of 1 MB in its source. Here they are files, and only the program
 *   that runs is read.
 *
 * The build fails if a new version of Baileys does not match these changes. Nothing is done if nothing changed.
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { transformSync } from 'esbuild'

const modules = join(process.argv[2], 'node_modules')
const LIBRARY = '@whiskeysockets/baileys'
const BRIDGE = 'whatsapp-rust-bridge'
const PROTO = `${LIBRARY}/WAProto/index.js`
const FROM = 'node_modules'

function need(isTrue, what) {
  if (!isTrue) throw new Error(`scripts/library.mjs: ${what}`)
}
const read = (path) => readFileSync(join(FROM, path), 'utf8')

const LAZILY = `function lazily(owner, name, make) {
  const keep = (value) => Object.defineProperty(owner, name, { value, enumerable: true, configurable: true, writable: true })
  const get = () => {
    const value = make()
    keep(value)
    return value
  }
  Object.defineProperty(owner, name, { get, set: keep, enumerable: true, configurable: true })
}`
/**
 * Matches the first line of a message, `proto.Message = (function() {`. The function ends at the next `END` with the
 * same indentation.
 */
const BEGIN = /^( *)([\w.]+)\.(\w+) = \(function\(\) \{$/
const END = '})();'

function withLazyMessages(source) {
  const open = []
  let count = 0
  const lines = source.split('\n').map((line) => {
    const [, indentation, owner, name] = BEGIN.exec(line) ?? []
    if (name !== undefined) {
      open.push(indentation)
      count++
      return `lazily(${owner}, '${name}', function() {`
    }
    if (line !== open.at(-1) + END) return line
    open.pop()
    return '});'
  })
  need(count > 600 && open.length === 0, `${count} messages, ${open.length} of them without an end`)
  return transformSync(`${LAZILY}\n${lines.join('\n')}`, { minifyWhitespace: true, minifySyntax: true, format: 'esm' }).code
}

/**
 * Replaces the WebAssembly programs in the source (base64 texts of at least 100,000 letters) by code that reads them
 * from files. Returns the new source and the base64 texts.
 */
function withoutPrograms(source) {
  const texts = []
  const reading = source.replace(/"([A-Za-z0-9+/=]{100000,})"/g, (_, text) => {
    texts.push(text)
    return `readFileSync(new URL('./program-${texts.length}.b64', import.meta.url), 'latin1')`
  })
  need(texts.length === 2, `${texts.length} programs in ${BRIDGE}`)
  return { reading: `import { readFileSync } from 'node:fs';\n${reading}`, texts }
}

const CACHE = 'scripts/library-cache.mjs'
const CACHE_USERS = [
  'Socket/chats',
  'Socket/messages-recv',
  'Socket/messages-send',
  'Utils/auth-utils',
  'Utils/identity-change-handler',
]

function withOwnCaches() {
  return CACHE_USERS.map((name) => {
    const path = `${LIBRARY}/lib/${name}.js`
    const source = read(path)
    const own = source.replace(
      "import NodeCache from '@cacheable/node-cache'",
      "import { BriefCache as NodeCache } from '../brief-cache.js'",
    )
    need(own !== source, `${name} imports no cache`)
    return [path, own]
  })
}

function made() {
  const index = read(`${LIBRARY}/lib/index.js`)
  const WAM = "export * from './WAM/index.js';\n"
  need(index.includes(WAM), 'the library does not name its statistics events')
  const { reading, texts } = withoutPrograms(read(`${BRIDGE}/dist/index.js`))
  return {
    [PROTO]: withLazyMessages(read(PROTO)),
    [`${LIBRARY}/lib/index.js`]: index.replace(WAM, ''),
    [`${LIBRARY}/lib/brief-cache.js`]: readFileSync(CACHE, 'utf8'),
    ...Object.fromEntries(withOwnCaches()),
    [`${BRIDGE}/dist/index.js`]: reading,
    ...Object.fromEntries(texts.map((text, index) => [`${BRIDGE}/dist/program-${index + 1}.b64`, text])),
  }
}

const isCopied = (path) => !/\.(d\.ts|map|proto|sh)$|lib\/WAM\/(constants|encode|index)\.js$/.test(path)
const done = join(modules, '.made')
/**
 * Files whose contents decide whether the copy is made again: a new version of a package changes its `package.json`.
 * Modification times cannot show this, because npm gives the files of all packages the same time.
 */
const madeOf = [`${LIBRARY}/package.json`, `${BRIDGE}/package.json`, '../scripts/library.mjs', `../${CACHE}`]
const stamp = createHash('sha256').update(madeOf.map(read).join()).digest('hex')
const isDone = existsSync(done) && readFileSync(done, 'utf8') === stamp

if (!isDone) {
  const written = `${modules}.${process.pid}`
  rmSync(written, { recursive: true, force: true })
  for (const name of [LIBRARY, BRIDGE]) cpSync(join(FROM, name), join(written, name), { recursive: true, filter: isCopied })
  for (const [path, text] of Object.entries(made())) {
    mkdirSync(dirname(join(written, path)), { recursive: true })
    writeFileSync(join(written, path), text)
  }
  writeFileSync(join(written, '.made'), stamp)
  rmSync(modules, { recursive: true, force: true })
  renameSync(written, modules)
}
