import { SECOND, steadyClock } from '../domain/clock.ts'
import type { Logger } from '../log.ts'
import type { PeerLink } from '../peer/peer-link.ts'

/**
 * Milliseconds after which a missing address means that the active service has no port for the link. The address is
 * missing for a shorter time while that service connects to the database again, or after its death until the takeover.
 */
const ADDRESS_DUE = 10 * SECOND

/**
 * Returns a function that sets the address of the active service in the link. It warns once if that service has no port
 * for requests that are passed on.
 */
export function watchAddress(log: Pick<Logger, 'warn'>, link: Pick<PeerLink, 'setActive' | 'setUnreachable'> | undefined) {
  let id: string | undefined
  let missingSince: number | undefined
  let isTold = false
  return (found: string, address: { host: string; port: number } | undefined) => {
    if (link === undefined) return
    if (found !== id) isTold = false
    if (found !== id || address !== undefined) missingSince = undefined
    id = found
    if (address !== undefined) return link.setActive({ id, ...address })
    missingSince ??= steadyClock.now()
    if (isTold || steadyClock.now() - missingSince < ADDRESS_DUE) return
    isTold = true
    link.setUnreachable()
    log.warn({}, 'the active service has no SVC_PEER_PORT, so its standby passes no requests on to it')
  }
}
