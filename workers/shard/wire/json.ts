/**
 * Reads JSON that another person wrote into a field of a message. It can have any content, so each field is checked
 * when it is read.
 */
import { cut } from './bounds.ts'

export type Json = Readonly<Record<string, unknown>>

export function jsonObjectOrNull(text: string | null | undefined): Json | null {
  if (!text) return null
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

export const jsonObject = (text: string | null | undefined): Json => jsonObjectOrNull(text) ?? {}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const PASSED_ON = { levels: 16, values: 1_000, characters: 65_536, name: 256 }

/**
 * Copies JSON into an event within the limits: further values are left out, long texts are truncated, and objects and
 * lists that are nested too deep become null. Half surrogate pairs are replaced, because a strict parser refuses them.
 */
export function passedOn(json: Json): Json {
  let { values, characters } = PASSED_ON
  return copied(json, PASSED_ON.levels) as Json

  function copied(value: unknown, levels: number): unknown {
    if (typeof value === 'string') return written(value)
    if (typeof value !== 'object' || value === null) return value
    if (levels === 0) return null
    if (Array.isArray(value)) return counted(value).map((each) => copied(each, levels - 1))
    const entries = counted(Object.entries(value))
    return Object.fromEntries(entries.map(([name, each]) => [cut(name, PASSED_ON.name).toWellFormed(), copied(each, levels - 1)]))
  }

  function counted<T>(entries: readonly T[]): readonly T[] {
    const taken = entries.slice(0, values)
    values -= taken.length
    return taken
  }

  function written(text: string): string {
    const taken = cut(text, characters)
    characters -= taken.length
    return taken.toWellFormed()
  }
}

export const object = (value: unknown): Json => (isObject(value) ? value : {})
export const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.map(object) : [])
/**
 * Returns a text; null if the value is neither a text nor a number. A number becomes text, because some clients write
 * ids as numbers.
 */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' ? value.toWellFormed() : typeof value === 'number' && Number.isFinite(value) ? String(value) : null
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : null
}
export function amountOf(value: unknown): number | null {
  const { value: units, offset } = object(value)
  const number = numberOf(units)
  const divisor = numberOf(offset) ?? 1
  return number === null || divisor <= 0 ? null : number / divisor
}
