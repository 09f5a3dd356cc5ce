/**
 * `npm run bench -- chart` draws `bench/chart.svg` from the newest results. The chart shows memory and CPU of the
 * service by number of idle instances (from `memory`). It also shows them, for the service and for the bare library, by
 * texts received per second (from `receive`).
 */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Spread } from './parts/numbers.ts'
import { newestRows } from './results.ts'

interface Side {
  offered_per_s: number
  cpu_ms: Spread
  rss_mb: Spread
}
interface Results {
  memory?: { empty_mb: number; idle: Record<string, { rss_mb: number; cpu_percent: number }> }
  receive?: Record<string, { gateway?: Side; bare?: Side }>
}
type Point = [x: number, y: number]
interface Line {
  name: string
  color: string
  points: Point[]
}

const folder = fileURLToPath(new URL('.', import.meta.url))

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [420, 320, 44, 68, 44]

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
    const legend = text([offset + LEFT + 180 * (index % 2), 40 + 15 * Math.floor(index / 2)], name, `fill="${color}"`)
    return `<path d="${path}" fill="none" stroke="${color}" stroke-width="2"/>${dots.join('')}${legend}`
  })
  return [
    text([offset + LEFT, 22], `${title}, ${yName}`, 'font-weight="bold"'),
    text([offset + WIDTH / 2, HEIGHT - 8], xName, 'text-anchor="middle"'),
    ...grid,
    ...drawn,
  ].join('\n')
}

const { memory, receive } = Object.fromEntries((await newestRows()).map(({ bench, result }) => [bench, result])) as Results
const panels: ((offset: number) => string)[] = []
const [GREEN, BLUE, ORANGE, VIOLET] = ['#1b7f5f', '#2f6fb0', '#b0632f', '#8a5fb0'] as const

if (memory) {
  const idle = Object.entries(memory.idle).map(([count, row]) => ({ count: Number(count), ...row }))
  const one = (points: Point[]): Line[] => [{ name: 'svc, one shard', color: GREEN, points }]
  const held: Point[] = [[0, memory.empty_mb], ...idle.map(({ count, rss_mb }): Point => [count, rss_mb])]
  const used: Point[] = [[0, 0], ...idle.map(({ count, cpu_percent }): Point => [count, cpu_percent])]
  panels.push((offset) => panel('Memory of idle connected instances', ['instances', 'MB'], one(held), offset))
  panels.push((offset) => panel('CPU of idle connected instances', ['instances', '% of a core'], one(used), offset))
}
if (receive) {
  const ROW = /_per_s_on_(\d+)$/
  const counts = [...new Set(Object.keys(receive).flatMap((name) => ROW.exec(name)?.[1] ?? []))]
  const instances = (count: string) => `${count} instance${count === '1' ? '' : 's'}`
  const of = (side: 'gateway' | 'bare', count: string, value: (side: Side) => number): Point[] =>
    Object.entries(receive).flatMap(([name, row]) => {
      const measured = row[side]
      return ROW.exec(name)?.[1] === count && measured ? [[measured.offered_per_s, value(measured)] satisfies Point] : []
    })
  const share = ({ offered_per_s, cpu_ms }: Side) => (offered_per_s * cpu_ms.median) / 10
  const linesOf = (value: (side: Side) => number) =>
    counts.flatMap((count, index): Line[] => [
      {
        name: count === '1' ? `svc, 1 of ${counts.at(-1)}` : `svc, ${instances(count)}`,
        color: index === 0 ? GREEN : BLUE,
        points: of('gateway', count, value),
      },
      { name: `bare library, ${instances(count)}`, color: index === 0 ? ORANGE : VIOLET, points: of('bare', count, value) },
    ])
  panels.push((offset) => panel('CPU of texts received', ['texts per s', '% of a core'], linesOf(share), offset))
  const rss = linesOf(({ rss_mb }) => rss_mb.median)
  panels.push((offset) => panel('Memory beside texts received', ['texts per s', 'MB'], rss, offset))
}
if (panels.length === 0)
  throw new Error('bench/results has no results of the benches "memory" and "receive"; run one of them first')
const COLUMNS = 2
const rows = Math.ceil(panels.length / COLUMNS)
const placed = panels.map(
  (draw, index) =>
    `<g transform="translate(0 ${Math.floor(index / COLUMNS) * HEIGHT})">\n${draw((index % COLUMNS) * WIDTH)}\n</g>`,
)
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${COLUMNS * WIDTH} ${rows * HEIGHT}" font-family="sans-serif" font-size="12" fill="#333">
<title>CPU and memory against instances and rate</title>
<rect width="100%" height="100%" fill="#fff"/>
${placed.join('\n')}
</svg>
`
await writeFile(`${folder}chart.svg`, svg)
process.stdout.write(`bench/chart.svg is drawn of ${panels.length} measurements.\n`)
