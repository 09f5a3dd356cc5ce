/** The parts of a service that the store of a member of a cluster needs. */
import type { Logger } from '../log.ts'
import type { ClusterOptions } from '../storage/members.ts'

export const clusterOptions = (log: Pick<Logger, 'warn'>): ClusterOptions => ({
  // Nothing answers this question yet, so every member counts as one that reaches the store.
  ask: async () => undefined,
  onLost: (name) => log.warn({ member: name }, 'another member of the cluster no longer runs; this service has removed it'),
})
