/** Reads rows as the client of a database prints them: one JSON object per line. */
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { NotImportable } from '../../../src/domain/not-importable.ts'

export type Row = Readonly<Record<string, unknown>>

/**
 * Reads the rows. `path`: a file, or `-` for standard input. Rejects with `NotImportable` if a line is not a JSON
 * object.
 */
export async function readJsonLines(path: string): Promise<Row[]> {
  const lines = (path === '-' ? await text(process.stdin) : await readFile(path, 'utf8')).split('\n')
  return lines.flatMap((line, index) => (line.trim() === '' ? [] : [rowOf(line, index + 1)]))
}

function rowOf(line: string, number: number): Row {
  let row: unknown
  try {
    row = JSON.parse(line)
  } catch (cause) {
    throw new NotImportable([`Line ${number} is not JSON.`], { cause })
  }
  if (isRow(row)) return row
  throw new NotImportable([`Line ${number} is not a JSON object.`])
}

export const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the JSON text of a value. Some programs store JSON values, others their text. */
export const jsonText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
