/**
 * `Prefer: wait=<seconds>` of RFC 7240 on queued sends: how long the caller would wait for the outcome. A preference is no demand: one that
 * is not understood is ignored, and a longer wait than the maximum is answered after the maximum.
 */
import { SECOND } from '../domain/clock.ts'

export const PREFER = { name: 'Prefer', applied: 'Preference-Applied', minSeconds: 1, maxSeconds: 30 } as const

/** Ms to wait for the outcome; undefined: the caller prefers nothing of that kind. Of a repeated preference the first counts. */
export function waitOf(header: string | null | undefined): number | undefined {
  for (const preference of header?.split(',') ?? []) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(preference) ?? []
    if (seconds === undefined) continue
    if (Number(seconds) < PREFER.minSeconds) return undefined
    return Math.min(Number(seconds), PREFER.maxSeconds) * SECOND
  }
  return undefined
}
