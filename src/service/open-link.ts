import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Tally } from '../metrics/tally.ts'
import type { PeerLink } from '../peer/peer-link.ts'
import type { Listening } from '../serve.ts'
import { parseSecretKey } from '../storage/secret-key.ts'

/** Opens the link to the other services. Resolves with undefined if `SVC_PEER_PORT` or `SVC_SECRET_KEY` is not set. */
export async function openLink(
  { host, peerPort, secretKey }: Config,
  { log, server, tally }: { log: Logger; server: Listening; tally: Tally },
): Promise<PeerLink | undefined> {
  // Nothing is reported here, because with a store in PostgreSQL a service without the key does not start and says why.
  if (peerPort === null || secretKey === null) return undefined
  const { openPeerLink } = await import('../peer/peer-link.ts')
  return openPeerLink({ host, port: peerPort, secretKey: parseSecretKey(secretKey, 'SVC_SECRET_KEY'), server, tally, log })
}
