/**
 * Asks the members that have lost their connection to the database whether they still run. The network between a member
 * and the database may fail for some seconds, and such a member keeps its sessions until its lease ends.
 */
import type { ClusterOptions, Member } from '../../../members.ts'
import { PATIENCE } from './standbys.ts'

export interface EndedMembers {
  /** Must be called after each look, with the members that have no connection. Does not wait for their answers. */
  follow(unconnected: readonly Member[]): void
  /** True if the machine of the member has answered that the member no longer runs. */
  has(id: string): boolean
}

export function createEndedMembers(ask: ClusterOptions['ask']): EndedMembers {
  const found = new Map<string, 'asked' | 'runs' | 'ended'>()

  async function askOne(member: Member): Promise<void> {
    found.set(member.id, 'asked')
    const answer = await ask(member, AbortSignal.timeout(PATIENCE))
    if (found.has(member.id)) found.set(member.id, answer === 'refused' || answer === 'other' ? 'ended' : 'runs')
  }

  return {
    follow(unconnected) {
      const ids = new Set(unconnected.map(({ id }) => id))
      for (const id of found.keys()) if (!ids.has(id)) found.delete(id)
      for (const each of unconnected) if ((found.get(each.id) ?? 'runs') === 'runs') void askOne(each)
    },
    has: (id) => found.get(id) === 'ended',
  }
}
