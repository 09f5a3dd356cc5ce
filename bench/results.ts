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

export interface DatedRow extends Row {
  /** Date of the run, such as 2026-11-22. */
  day: string
}

export async function newestRows(): Promise<DatedRow[]> {
  const newest = new Map<string, DatedRow>()
  const files = await readdir(folder).catch(() => [])
  for (const name of files.filter((file) => file.endsWith('.json')).sort())
    for (const row of JSON.parse(await readFile(folder + name, 'utf8')) as Row[])
      if (!('failed' in row.result)) newest.set(row.bench, { ...row, day: name.slice(0, 10) })
  const place = ({ bench }: Row) => TARGETS.findIndex((target) => target.bench === bench)
  return [...newest.values()].filter((row) => place(row) >= 0).sort((one, other) => place(one) - place(other))
}
