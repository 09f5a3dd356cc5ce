/** The owner of a schema asks its standbys over HTTP whether they can reach the database. */
import { createHash } from 'node:crypto'
import { get } from 'node:http'
import type { StandbyAddress } from '../../../../domain/standby-address.ts'

/** Milliseconds within which a standby must answer. */
export const PATIENCE = 900
const READY = '/health/ready'

/** A hash of the owner's random id, so that the public answer of its standby does not contain the id itself. */
export const markOf = (owner: string): string => createHash('sha256').update(owner).digest('hex').slice(0, 16)

const TAKES_NOT_OVER: ReadonlySet<unknown> = new Set(['database', 'stopping'])
const REASONS: ReadonlySet<unknown> = new Set(['standby', ...TAKES_NOT_OVER])

/** An answer of the standby of another owner counts as no answer. */
export function standbyQuestions(owner: string) {
  const mark = markOf(owner)
  /** Addresses of the standbys whose last answer was that they stop. */
  const stopping = new Set<string>()

  async function reasonOf(standby: StandbyAddress): Promise<unknown> {
    const { reason, active, isRefused } = await detailsOf(standby)
    const address = `${standby.host} ${standby.port}`
    // It has ended. Another process at its address would listen before it waits to take over.
    if (isRefused && stopping.has(address)) return 'stopping'
    const given = active === mark ? reason : undefined
    if (given === 'stopping') stopping.add(address)
    else if (given !== undefined) stopping.delete(address)
    return given
  }
  return {
    /**
     * Whether the standby has said that it cannot reach the database, or that it stops. A standby that gives no answer may
     * be about to take over.
     */
    takesNotOver: async (standby: StandbyAddress): Promise<boolean> => TAKES_NOT_OVER.has(await reasonOf(standby)),
    /** Whether a standby answers as the standby of this owner. */
    isReached: async (standby: StandbyAddress): Promise<boolean> => REASONS.has(await reasonOf(standby)),
  }
}

interface Details {
  reason?: unknown
  active?: unknown
  /** Whether nothing listens at the address. */
  isRefused?: boolean
}

/**
 * Resolves with the details in the answer of the standby; with none of them if it gives none or does not answer in
 * time.
 */
function detailsOf({ host, port }: StandbyAddress): Promise<Details> {
  return new Promise((resolve) => {
    const request = get({ host, port, path: READY, signal: AbortSignal.timeout(PATIENCE) }, async (response) => {
      const bytes = await response.toArray().catch(() => [])
      resolve(detailsIn(Buffer.concat(bytes as Buffer[]).toString()))
    })
    request.on('error', (error: NodeJS.ErrnoException) => resolve({ isRefused: error.code === 'ECONNREFUSED' }))
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
