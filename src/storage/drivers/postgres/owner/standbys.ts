/** The owner of a schema asks its standbys over HTTP whether they can reach the database. */
import { createHash } from 'node:crypto'
import { get } from 'node:http'
import type { StandbyAddress } from '../../../../domain/standby-address.ts'

/** Milliseconds within which a standby must answer. */
export const PATIENCE = 900
const READY = '/health/ready'

/** A hash of the owner's random id, so that the public answer of its standby does not contain the id itself. */
export const markOf = (owner: string): string => createHash('sha256').update(owner).digest('hex').slice(0, 16)

const AWAY: ReadonlySet<unknown> = new Set(['database', 'stopping'])
const REASONS: ReadonlySet<unknown> = new Set(['standby', ...AWAY])

/** An answer of the standby of another owner counts as no answer. */
export function standbyQuestions(owner: string) {
  const mark = markOf(owner)
  async function reasonOf(standby: StandbyAddress): Promise<unknown> {
    const { reason, active } = await detailsOf(standby)
    return active === mark ? reason : undefined
  }
  return {
    /**
     * Whether the standby answers that it cannot reach the database, or stops, and so does not take over. A standby that
     * gives no answer may be about to take over.
     */
    isAway: async (standby: StandbyAddress): Promise<boolean> => AWAY.has(await reasonOf(standby)),
    /** Whether a standby answers as the standby of this owner. */
    isReached: async (standby: StandbyAddress): Promise<boolean> => REASONS.has(await reasonOf(standby)),
  }
}

interface Details {
  reason?: unknown
  active?: unknown
}

/**
 * Resolves with the details in the answer of the standby; with an empty object if there are none or the standby does
 * not answer in time.
 */
function detailsOf({ host, port }: StandbyAddress): Promise<Details> {
  return new Promise((resolve) => {
    const request = get({ host, port, path: READY, signal: AbortSignal.timeout(PATIENCE) }, async (response) => {
      const bytes = await response.toArray().catch(() => [])
      resolve(detailsIn(Buffer.concat(bytes as Buffer[]).toString()))
    })
    request.on('error', () => resolve({}))
  })
}

function detailsIn(text: string): Details {
  try {
    const body = JSON.parse(text) as Details & { error?: { details?: Details } }
    // A standby that passes requests on is ready, and gives no error.
    return body.error?.details ?? body
  } catch {
    return {}
  }
}
