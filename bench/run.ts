/** `npm run bench [name]`: every bench one after another, each in a process of its own; the lines they print, then one table. */
import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))
const NOT_BENCHES = new Set(['run.ts', 'measure.ts', 'bare-client.ts', 'asker.ts', 'asking.ts'])
const wanted = process.argv[2]

const names = (await readdir(folder))
  .filter((name) => name.endsWith('.ts') && !NOT_BENCHES.has(name))
  .map((name) => name.slice(0, -3))
const chosen = names.filter((name) => wanted === undefined || name === wanted).sort()
if (chosen.length === 0) {
  process.stderr.write(`There is no bench ${wanted}. There are: ${names.join(', ')}\n`)
  process.exit(2)
}

const rows: { bench: string; seconds: number; result: string }[] = []
for (const name of chosen) {
  const began = performance.now()
  const child = spawn(process.execPath, ['--import', 'tsx', `${folder}${name}.ts`], { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
    process.stdout.write(chunk)
  })
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve))
  const line = out.trim().split('\n').at(-1) ?? ''
  const {
    question: _,
    machine: __,
    note: ___,
    ...result
  } = code === 0 ? (JSON.parse(line) as Record<string, unknown>) : { failed: code }
  rows.push({ bench: name, seconds: Math.round((performance.now() - began) / 1_000), result: JSON.stringify(result) })
}
process.stdout.write(
  `\n${rows.map(({ bench, seconds, result }) => `${bench.padEnd(16)}${String(seconds).padStart(4)} s  ${result}`).join('\n')}\n`,
)
process.exit(rows.some(({ result }) => result.includes('"failed"')) ? 1 : 0)
