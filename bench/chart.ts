/**
 * `npm run bench -- chart`: draws `bench/chart.svg` of what the newest runs have measured: memory against instances (`memory`), and CPU of a
 * second against texts received in it (`receive`), ours and the library's.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Spread } from './parts/numbers.ts'

interface Side {
  offered_per_s: number
  cpu_ms: Spread
}
interface Results {
  memory?: { empty_mb: number; idle: Record<string, { rss_mb: number }> }
  receive?: Record<string, { gateway?: Side; bare?: Side }>
}
type Point = [x: number, y: number]
interface Line {
  name: string
  color: string
  points: Point[]
}

const folder = fileURLToPath(new URL('.', import.meta.url))

async function newest(): Promise<Results> {
  const found: Record<string, unknown> = {}
  for (const file of (await readdir(`${folder}results`)).filter((name) => name.endsWith('.json')).sort()) {
    const rows = JSON.parse(await readFile(`${folder}results/${file}`, 'utf8')) as { bench: string; result: object }[]
    for (const { bench, result } of rows) if (!('failed' in result)) found[bench] = result
  }
  return found as Results
}

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [420, 300, 56, 40, 44]

/** Round numbers up to the largest value. */
function ticks(most: number): number[] {
  const rough = most / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => Number((index * step).toPrecision(6)))
}

function panel(title: string, [xName, yName]: [string, string], lines: Line[], offset: number): string {
  const points = lines.flatMap((line) => line.points)
  const [xs, ys] = [ticks(Math.max(...points.map(([x]) => x))), ticks(Math.max(...points.map(([, y]) => y)))]
  const x = (value: number) => offset + LEFT + (value / xs.at(-1)!) * (WIDTH - LEFT - 16)
  const y = (value: number) => HEIGHT - BOTTOM - (value / ys.at(-1)!) * (HEIGHT - TOP - BOTTOM)
  const text = (at: Point, value: string | number, more = '') => `<text x="${at[0]}" y="${at[1]}" ${more}>${value}</text>`
  const grid = [
    ...xs.map((each) => text([x(each), HEIGHT - BOTTOM + 16], each, 'text-anchor="middle"')),
    ...ys.map(
      (each) =>
        `<path d="M${x(0)} ${y(each)}H${x(xs.at(-1)!)}" stroke="#ddd"/>${text([x(0) - 6, y(each) + 4], each, 'text-anchor="end"')}`,
    ),
  ]
  const drawn = lines.map(({ name, color, points: at }, index) => {
    const path = at.map(([px, py], number) => `${number === 0 ? 'M' : 'L'}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join('')
    const dots = at.map(([px, py]) => `<circle cx="${x(px).toFixed(1)}" cy="${y(py).toFixed(1)}" r="3" fill="${color}"/>`)
    const legend = text([x(0) + 8, TOP + 12 + 15 * index], name, `fill="${color}"`)
    return `<path d="${path}" fill="none" stroke="${color}" stroke-width="2"/>${dots.join('')}${legend}`
  })
  return [
    text([offset + LEFT, 22], title, 'font-weight="bold"'),
    text([offset + WIDTH / 2, HEIGHT - 8], xName, 'text-anchor="middle"'),
    text([offset + LEFT - 40, TOP - 4], yName),
    ...grid,
    ...drawn,
  ].join('\n')
}

const { memory, receive } = await newest()
const panels: ((offset: number) => string)[] = []
if (memory) {
  const points: Point[] = [
    [0, memory.empty_mb],
    ...Object.entries(memory.idle).map(([count, { rss_mb }]): Point => [Number(count), rss_mb]),
  ]
  panels.push((offset) =>
    panel('Memory of connected instances', ['instances', 'MB'], [{ name: 'one shard', color: '#1b7f5f', points }], offset),
  )
}
if (receive) {
  const of = (side: 'gateway' | 'bare', instances: string): Point[] =>
    Object.entries(receive).flatMap(([name, row]) => {
      const measured = row[side]
      if (!name.endsWith(`_per_s_on_${instances}`) || !measured) return []
      const point: Point = [measured.offered_per_s, (measured.offered_per_s * measured.cpu_ms.median) / 10]
      return [point]
    })
  const counts = [...new Set(Object.keys(receive).flatMap((name) => /_per_s_on_(\d+)$/.exec(name)?.[1] ?? []))]
  const colors = ['#1b7f5f', '#2f6fb0']
  const lines = counts.flatMap((count, index): Line[] => [
    { name: `svc, ${count}`, color: colors[index % 2]!, points: of('gateway', count) },
    { name: `bare library, ${count}`, color: index === 0 ? '#b0632f' : '#8a5fb0', points: of('bare', count) },
  ])
  panels.push((offset) => panel('CPU of texts received, by instances', ['texts per s', '% of a core'], lines, offset))
}
if (panels.length === 0) throw new Error('bench/results has no run of memory or receive')
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${panels.length * WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#333">
<rect width="100%" height="100%" fill="#fff"/>
${panels.map((draw, index) => draw(index * WIDTH)).join('\n')}
</svg>
`
await writeFile(`${folder}chart.svg`, svg)
process.stdout.write(`bench/chart.svg is drawn of ${panels.length} measurements.\n`)
