/** Instances to choose from: by name, and those that share one by their number or the beginning of their id. */
import type { InstanceRow } from '../../domain/dashboard.ts'
import { isolated } from '../../domain/isolated-text.ts'
import { nameAndNumber } from './words.tsx'

type Row = Pick<InstanceRow, 'id' | 'name' | 'phone'>

export function instanceChoices(rows: Iterable<Row>): (readonly [id: string, label: string])[] {
  const all = [...rows]
  const ofName = new Map<string, Row[]>()
  for (const row of all) ofName.set(row.name, [...(ofName.get(row.name) ?? []), row])
  return all
    .map((row) => [row.id, label(row, ofName.get(row.name) ?? [])] as const)
    .sort(([, one], [, other]) => one.localeCompare(other))
}

function label({ id, name, phone }: Row, namesakes: readonly Row[]): string {
  if (namesakes.length < 2) return isolated(name)
  const isOnly = phone !== null && namesakes.every((each) => each.id === id || each.phone !== phone)
  return isOnly ? nameAndNumber(name, phone) : `${isolated(name)} · ${id.slice(0, 8)}`
}
