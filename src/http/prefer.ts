/** Parses `Prefer: wait=<seconds>` (RFC 7240) of queued sends. */
import { SECOND } from '../domain/clock.ts'

export const PREFER = { name: 'Prefer', applied: 'Preference-Applied', minSeconds: 1, maxSeconds: 30 } as const

/** Returns the wait in ms; undefined if the header has no valid wait. */
export function waitOf(header: string | null | undefined): number | undefined {
  for (const preference of header?.split(',') ?? []) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(preference) ?? []
    if (seconds === undefined) continue
    if (Number(seconds) < PREFER.minSeconds) return undefined
    return Math.min(Number(seconds), PREFER.maxSeconds) * SECOND
  }
  return undefined
}
