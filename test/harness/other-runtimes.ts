/**
 * Runs a program on Deno, Bun and workerd. The program is one file that exports `work`, a function from JSON to JSON.
 * `npm install --no-save --prefix test/runtimes` installs the runtimes.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { ROOT } from './checkout.ts'

const MODULES = fileURLToPath(new URL('test/runtimes/node_modules/', ROOT))

export interface Runtime {
  name: string
  /** Reason why this runtime cannot be used on this machine; false if it can. */
  missing: string | false
  run(program: string, task: unknown): Promise<unknown>
}

/** Returns the path of a runtime's executable. The path differs between packages, so the folders are searched. */
function programIn(scope: string, name: string): string | undefined {
  const scoped = join(MODULES, scope)
  const packages = existsSync(scoped) ? readdirSync(scoped) : []
  const places = packages.flatMap((each) => [join(scoped, each, name), join(scoped, each, 'bin', name)])
  return places.find((path) => existsSync(path) && statSync(path).size > 2 ** 20)
}

async function runFile(command: string, args: readonly string[], program: string, task: unknown): Promise<unknown> {
  const main = join(dirname(program), 'main.mjs')
  const source = `import { work } from ${JSON.stringify(program)}\nconsole.log(JSON.stringify(await work(${JSON.stringify(task)})))\n`
  await writeFile(main, source)
  const child = spawn(command, [...args, main], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1' } })
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (!printed.startsWith('{')) throw new Error(`${command}: ${printed}${errors}`.slice(0, 4_000))
  return JSON.parse(printed)
}

/** Runs the program on workerd. A worker is one file, so the program must not import other files. */
async function runWorker(program: string, task: unknown): Promise<unknown> {
  const { Miniflare } = createRequire(join(MODULES, 'x.js'))('miniflare')
  const serve = `export default { fetch: async (request) => Response.json(await work(await request.json())) }`
  const script = `${await readFile(program, 'utf8')}\n${serve}\n`
  const worker = new Miniflare({ script, modules: true, host: '127.0.0.1', port: 0, compatibilityDate: '2026-01-01' })
  try {
    const response = await fetch(await worker.ready, { method: 'POST', body: JSON.stringify(task) })
    const answer = await response.text()
    if (!response.ok) throw new Error(`workerd: ${answer.slice(0, 4_000)}`)
    return JSON.parse(answer)
  } finally {
    await worker.dispose()
  }
}

const absent = (isThere: boolean, name: string): string | false =>
  isThere ? false : `${name} is not installed: npm install --no-save --prefix test/runtimes`

export function otherRuntimes(): Runtime[] {
  const deno = programIn('@deno', 'deno')
  const bun = programIn('@oven', 'bun')
  const denoArgs = ['run', '--no-config', '--no-prompt', '--allow-net=127.0.0.1']
  return [
    {
      name: 'Deno',
      missing: absent(deno !== undefined, 'Deno'),
      run: (program, task) => runFile(deno!, denoArgs, program, task),
    },
    { name: 'Bun', missing: absent(bun !== undefined, 'Bun'), run: (program, task) => runFile(bun!, ['run'], program, task) },
    { name: 'workerd', missing: absent(existsSync(join(MODULES, 'miniflare')), 'miniflare'), run: runWorker },
  ]
}
