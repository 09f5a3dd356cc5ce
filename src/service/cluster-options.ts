/**
 * The options with which a member of a cluster opens the store: how it asks other members, and how it logs their
 * removal.
 */
import type { Logger } from '../log.ts'
import type { PeerLink } from '../peer/peer-link.ts'
import type { ClusterOptions } from '../storage/members.ts'

export const clusterOptions = (log: Pick<Logger, 'warn'>, link: Pick<PeerLink, 'askMember'> | undefined): ClusterOptions => ({
  ask: async (member, signal) => link?.askMember(member, signal),
  onLost: (name) => log.warn({ member: name }, 'another member of the cluster no longer runs; this service has removed it'),
  onNotRemoved: (name, err) =>
    log.warn(
      { err, member: name },
      'another member of the cluster no longer runs, and the database refuses its removal, so nobody gets its instances; this service tries again each second',
    ),
})
