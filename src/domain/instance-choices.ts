/**
 * Labels of instances in a list of choices. If several names look alike, the label also contains the number or the
 * beginning of the id.
 */
import { lookOf } from './display-text.ts'
import { isolated, nameAndNumber } from './isolated-text.ts'

interface Row {
  id: string
  name: string
  phone: string | null
}

export const shortId = (id: string) => id.slice(0, 8)

function byLook<T extends Row>(rows: Iterable<T>): Map<string, T[]> {
  const found = new Map<string, T[]>()
  for (const row of rows) {
    const look = lookOf(row.name)
    found.set(look, [...(found.get(look) ?? []), row])
  }
  return found
}

export const namesakes = (rows: Iterable<Row>): ReadonlySet<string> =>
  new Set([...byLook(rows).values()].flatMap((alike) => (alike.length < 2 ? [] : alike.map(({ id }) => id))))

/** Returns the id and the label of each instance, sorted by label. */
export function instanceChoices(rows: Iterable<Row>): (readonly [id: string, label: string])[] {
  const all = [...rows]
  const looks = byLook(all)
  return all
    .map((row) => [row.id, label(row, looks.get(lookOf(row.name)) ?? [])] as const)
    .sort(([, one], [, other]) => one.localeCompare(other, undefined, { numeric: true }))
}

function label({ id, name, phone }: Row, alike: readonly Row[]): string {
  if (alike.length < 2) return isolated(name)
  const isOnly = phone !== null && alike.every((each) => each.id === id || each.phone !== phone)
  return isOnly ? nameAndNumber(name, phone) : `${isolated(name)} · ${shortId(id)}`
}
