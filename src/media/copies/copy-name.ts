/**
 * Names of copies in the bucket: `<last day>/<instance>/<name>`. The last day comes first, so that a list of the bucket
 * begins with the copies to remove. The name is computed from the link to the file and a secret key, so nobody can
 * guess it.
 */
import { createHmac } from 'node:crypto'
import type { OpenedLink } from '../media-links.ts'

export type CopyName = (link: string, opened: Pick<OpenedLink, 'instance' | 'expiresAt'>) => string

export const copyNames =
  (key: Uint8Array): CopyName =>
  (link, { instance, expiresAt }) =>
    `${dayOf(expiresAt)}/${instance}/${createHmac('sha256', key).update(`media copy\n${link}`).digest('base64url')}`

export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** True if the last day of a copy has passed. False for a name that this service did not make. */
export const isOver = (name: string, now: number): boolean => /^\d{4}-\d\d-\d\d\//.test(name) && name.slice(0, 10) < dayOf(now)
