/**
 * Puts the library beside the compiled service, with less of it in memory: node scripts/library.mjs FOLDER, the folder that the service was compiled to
 * (dist, .built). Node finds FOLDER/node_modules before the one of the checkout. Each shard has a copy of all code in memory, so it is changed thus,
 * and not otherwise:
 *
 * - WAProto/index.js, 672 messages and enumerations in 4.4 MB: each is made when somebody first asks for it, and white space is gone.
 * - lib/WAM, the statistics events and what writes them, which nobody asks for, is left out but for what a socket makes of itself.
 * - lib/Socket and lib/Utils: caches of their own (scripts/library-cache.mjs) in place of @cacheable/node-cache.
 * - The two programs of whatsapp-rust-bridge are files instead of texts of 1 MB; only the one that runs is read.
 *
 * An upgrade that looks otherwise ends the build. Nothing is done where nothing changed.
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
/** `proto.Message = (function() {`, its end with the same indentation, and what they become. */
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

/** A text of base64 that long is a program. Returns the source that reads them, and the texts. */
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
/** The library's modules that import its caches. */
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

/** What is made, by its path. */
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
/** Packages have no times that say when they came: npm gives all the same. */
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
