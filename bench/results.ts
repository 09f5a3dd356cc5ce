import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Row, TARGETS } from './targets.ts'

const folder = fileURLToPath(new URL('./results/', import.meta.url))

/** Writes the results of a run to a new file. Returns the path of the file, relative to the root of the repository. */
export async function writeResults(rows: readonly Row[]): Promise<string> {
  const name = `${new Date().toISOString().replaceAll(':', '-')}.json`
  await mkdir(folder, { recursive: true })
  await writeFile(folder + name, `${JSON.stringify(rows, undefined, 2)}\n`)
  return `bench/results/${name}`
}

/** Benches whose results are in the README, in their order there. `disks` has no targets, but a table of its own. */
const SHOWN = [...TARGETS.map(({ bench }) => bench), 'disks']

export interface DatedRow extends Row {
  /** Date of the run, such as 2026-11-22. */
  day: string
}

/** Returns the major version of Node that a row was measured on, from `machine`, such as `node v24.9.0, 2 x …`. */
const nodeOf = ({ result }: Row) => Number(/^node v(\d+)\./.exec(String(result.machine))?.[1] ?? 0)

/**
 * Returns the newest row of each bench in the README, for each major version of Node that was measured. The newest
 * version is first, and the rows of a version are in the order of the targets.
 */
export async function newestByNode(): Promise<[node: number, rows: DatedRow[]][]> {
  const newest = new Map<number, Map<string, DatedRow>>()
  const files = await readdir(folder).catch(() => [])
  for (const name of files.filter((file) => file.endsWith('.json')).sort())
    for (const row of JSON.parse(await readFile(folder + name, 'utf8')) as Row[]) {
      if (!('machine' in row.result)) continue
      const rows = newest.get(nodeOf(row)) ?? new Map<string, DatedRow>()
      newest.set(nodeOf(row), rows.set(row.bench, { ...row, day: name.slice(0, 10) }))
    }
  const place = ({ bench }: Row) => SHOWN.indexOf(bench)
  const inOrder = (rows: Map<string, DatedRow>) =>
    [...rows.values()].filter((row) => place(row) >= 0).sort((one, other) => place(one) - place(other))
  return [...newest]
    .sort(([one], [other]) => other - one)
    .map(([node, rows]): [number, DatedRow[]] => [node, inOrder(rows)])
    .filter(([, rows]) => rows.length > 0)
}

/** Returns the newest row of each bench on the newest version of Node that was measured. */
export const newestRows = async (): Promise<DatedRow[]> => (await newestByNode())[0]?.[1] ?? []
