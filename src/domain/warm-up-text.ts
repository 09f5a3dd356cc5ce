/**
 * Converts the warm-up steps to and from a text such as `0: 10, 7: 50, 30: none`: days since the number was linked, and
 * the maximum number of people per day from then on. The browser uses this file too, so it has no side effects.
 */
export interface WarmUpStep {
  day: number
  /** Maximum number of people per day; null for no limit. */
  per_day: number | null
}

const STEP = /^(\d{1,6})\s*:\s*(?:(\d{1,9})|none)$/

export const warmUpText = (steps: readonly WarmUpStep[] | null): string =>
  (steps ?? []).map(({ day, per_day }) => `${day}: ${per_day ?? 'none'}`).join(', ')

/** Parses the text. Returns null for an empty text, and undefined if a part of the text is not a step. */
export function warmUpIn(text: string): WarmUpStep[] | null | undefined {
  if (text.trim() === '') return null
  const steps: WarmUpStep[] = []
  for (const part of text.split(',')) {
    const [step, day, most] = STEP.exec(part.trim()) ?? []
    if (step === undefined) return undefined
    steps.push({ day: Number(day), per_day: most === undefined ? null : Number(most) })
  }
  return steps
}
