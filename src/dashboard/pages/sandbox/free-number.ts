import type { State } from './control.ts'

/** Returns the first number from `first` on that neither a phone nor a person has. */
export function freeNumber(first: number, { phones, contacts }: State): string {
  const taken = new Set([...phones, ...contacts].map(({ phone }) => phone))
  let number = first
  while (taken.has(String(number))) number++
  return String(number)
}
