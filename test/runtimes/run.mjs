/**
 * Runs the part of the HTTP application that uses only Web standards on Deno, Bun and workerd. The answers must equal
 * those on Node, byte by byte. First run `npm install --no-save --prefix test/runtimes`. Ends with code 1 if an answer
 * differs, or if the handler needs Node. If a runtime does not start, or stops, this is only reported, because it is
 * not a defect of the service.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const modules = join(here, 'node_modules')
const require = createRequire(new URL('../../package.json', import.meta.url))
const START_MS = 15_000
const folder = mkdtempSync(join(tmpdir(), 'svc-runtimes-'))
/** Child processes that must end together with this process. */
const children = []

/**
 * Bundles the handler into one file without `node:` imports, which the runtimes load. The build fails if the handler
 * needs Node.
 */
async function bundle() {
  const { build } = require('esbuild')
  const file = join(folder, 'front.mjs')
  await build({
    entryPoints: [join(here, 'front.ts')],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['worker', 'browser', 'import'],
    target: 'es2022',
    logLevel: 'error',
  })
  return file
}

/** Returns the path of a runtime's executable. The path differs between packages, so the folders are searched. */
function program(scope, name) {
  const scoped = join(modules, scope)
  const places = existsSync(scoped)
    ? readdirSync(scoped).flatMap((each) => [join(scoped, each, name), join(scoped, each, 'bin', name)])
    : []
  return places.find((path) => existsSync(path))
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/** Starts a runtime. Resolves with the base URL, or rejects if the process does not answer in time. */
async function serve(command, args, port) {
  const child = spawn(command, args, { stdio: 'ignore', env: { ...process.env, NO_COLOR: '1' } })
  children.push(child)
  const until = Date.now() + START_MS
  const base = `http://127.0.0.1:${port}`
  for (;;) {
    if (child.exitCode !== null || Date.now() > until) throw new Error(`${command} did not start to serve in time.`)
    try {
      await (await fetch(`${base}/limits`)).text()
      return { ask: (path, init) => fetch(base + path, init), end: async () => child.kill('SIGKILL') }
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

async function onDeno(file) {
  const command = program('@deno', 'deno')
  if (!command) return undefined
  const port = await freePort()
  const main = join(folder, 'deno.mjs')
  writeFileSync(
    main,
    `import { front } from ${JSON.stringify(pathToFileURL(file).href)}\nDeno.serve({ port: ${port}, hostname: '127.0.0.1', onListen() {} }, front)\n`,
  )
  return serve(command, ['run', '--no-config', '--no-prompt', `--allow-net=127.0.0.1:${port}`, main], port)
}

async function onBun(file) {
  // If install scripts are enabled, the script of the package bun moves the executable to this path. Otherwise the file
  // at this path is only a short text.
  const moved = join(modules, 'bun/bin/bun.exe')
  const isMoved = existsSync(moved) && statSync(moved).size > 2 ** 20
  const command = isMoved ? moved : program('@oven', 'bun')
  if (!command) return undefined
  const port = await freePort()
  const main = join(folder, 'bun.mjs')
  writeFileSync(
    main,
    `import { front } from ${JSON.stringify(file)}\nBun.serve({ port: ${port}, hostname: '127.0.0.1', fetch: front })\n`,
  )
  return serve(command, ['run', main], port)
}

async function onWorkerd(file) {
  if (!existsSync(join(modules, 'miniflare'))) return undefined
  const { Miniflare } = createRequire(join(here, 'package.json'))('miniflare')
  const worker = new Miniflare({
    script: readFileSync(file, 'utf8'),
    modules: true,
    host: '127.0.0.1',
    port: await freePort(),
    compatibilityDate: '2026-01-01',
  })
  const base = await worker.ready
  return { ask: (path, init) => fetch(new URL(path, base), init), end: () => worker.dispose() }
}

const json = (body) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

const file = (bytes) => ({ method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: new Uint8Array(bytes) })

/**
 * Returns some fixed requests, and for the operations their examples, the examples with one wrong field, and invalid
 * bodies or parameters. Each field in turn is missing, null, of another type, or (some texts) too long.
 */
function requestsOf(description) {
  const requests = [
    ['/openapi.json'],
    ['/limits'],
    ['/tools'],
    ['/message', json({ jsonrpc: '2.0', id: 1, method: 'tools/list' })],
    ['/message', json('[{}]')],
    ['/message', json('{')],
  ]
  for (const operations of Object.values(description.paths))
    for (const { operationId, requestBody, parameters = [] } of Object.values(operations)) {
      const path = `/read/${encodeURIComponent(operationId)}`
      const inPath = parameters.filter((each) => each.in === 'path' && each.name !== 'instance_id' && each.name !== 'token')
      const query = new URLSearchParams(inPath.map(({ name, schema }) => [name, String(schema.examples?.[0] ?? '5511988887777')]))
      const to = inPath.length > 0 ? `${path}?${query}` : path
      const examples = Object.values(requestBody?.content['application/json']?.examples ?? {}).map(({ value }) => value)
      if (!requestBody) requests.push([to], [`${path}?page=0&page_size=x&phone=`])
      for (const example of examples) {
        requests.push([to, json(example)], [path, json(example)])
        for (const name of Object.keys(example)) {
          const { [name]: value, ...without } = example
          for (const changed of [
            without,
            { ...example, [name]: null },
            { ...example, [name]: typeof value === 'string' ? 7 : 'x' },
          ])
            requests.push([to, json(changed)])
          // URLs are not made longer, because the URL parsers of the runtimes have different limits for the length of a
          // host name.
          if (typeof value === 'string' && !/^https?:/.test(value))
            requests.push([to, json({ ...example, [name]: `${value}${'é😀'.repeat(500)}` })])
        }
      }
      if (requestBody)
        requests.push(
          [to, json('{"a":')],
          [to, json('[]')],
          [to, { ...json({}), headers: { 'content-type': 'text/plain' } }],
          [to, json({ extra: 'x'.repeat(400_000) })],
          [to, file(400_000)],
        )
    }
  return requests
}

async function said({ ask }, [path, init]) {
  const response = await ask(path, init)
  return {
    status: response.status,
    type: response.headers.get('content-type')?.split(';')[0] ?? null,
    etag: response.headers.get('etag'),
    text: await response.text(),
  }
}

const RUNTIMES = { Deno: onDeno, Bun: onBun, 'workerd (miniflare)': onWorkerd }

async function main() {
  const file = await bundle()
  const { front } = await import(pathToFileURL(file).href)
  const node = { ask: async (path, init) => front(new Request(new URL(path, 'http://127.0.0.1'), init)) }
  const requests = requestsOf(JSON.parse((await said(node, ['/openapi.json'])).text))
  const expected = []
  for (const request of requests) expected.push(await said(node, request))
  const wrong = expected.findIndex(({ status }) => status >= 500)
  if (wrong >= 0) throw new Error(`${requests[wrong][0]}: ${expected[wrong].text.slice(0, 300)}`)
  process.stdout.write(`Node: ${requests.length} requests are answered, none with a server error.\n`)
  for (const [name, start] of Object.entries(RUNTIMES)) {
    let runtime
    try {
      runtime = await start(file)
    } catch (error) {
      process.stdout.write(`${name}: ${error.message.split('\n')[0]} Nothing was asked there.\n`)
      continue
    }
    if (runtime === undefined) {
      process.stdout.write(`${name}: not installed here (npm install --no-save --prefix test/runtimes).\n`)
      continue
    }
    let differing = 0
    let asked = 0
    for (const [at, request] of requests.entries()) {
      let answer
      try {
        answer = await said(runtime, request)
      } catch (error) {
        process.stdout.write(`${name}: it broke off at ${request[0]} (${error.message}).\n`)
        break
      }
      asked++
      if (JSON.stringify(answer) === JSON.stringify(expected[at])) continue
      differing++
      if (differing <= 3)
        process.stdout.write(
          `${name}: ${request[0]} ${JSON.stringify(answer).slice(0, 300)}\n  where Node says ${JSON.stringify(expected[at]).slice(0, 300)}\n`,
        )
    }
    await runtime.end()
    if (differing > 0) process.exitCode = 1
    const rest = asked < requests.length ? `; ${requests.length - asked} were not asked` : ''
    process.stdout.write(`${name}: ${asked - differing} of ${asked} requests are answered as on Node${rest}.\n`)
  }
}

// At a timeout this program receives SIGTERM. Its child processes must end with it.
process.once('SIGTERM', () => {
  for (const child of children) child.kill('SIGKILL')
  process.exit(143)
})

try {
  await main()
} catch (error) {
  process.stdout.write(`${error.stack}\n`)
  process.exitCode = 1
} finally {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
  process.exit()
}
