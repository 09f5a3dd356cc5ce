import { SECOND, steadyClock } from '../domain/clock.ts'
import type { Logger } from '../log.ts'
import type { PeerLink } from '../peer/peer-link.ts'

/**
 * Milliseconds after which a missing address is not that of an owner which only connects to the database again, or was
 * killed. A takeover from a killed owner may take more than five seconds.
 */
const ADDRESS_DUE = 10 * SECOND

/** Tells the link where the active service is, and warns once if it has no port for requests that are passed on. */
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
