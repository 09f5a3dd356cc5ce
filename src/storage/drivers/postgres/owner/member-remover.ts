/**
 * Removes dead members on a separate connection. If the database keeps this connection waiting, for example for a locked
 * row, this member still raises its counter, and keeps its locks and its lease.
 */
import type { ClusterOptions } from '../../../members.ts'
import { connect, type Link } from '../link.ts'
import type { Target } from '../target.ts'
import { endIdle } from './end-services.ts'
import type { NodeLook } from './node-watch.ts'
import { removeMember } from './remove-members.ts'
import { SILENCE } from './schema-lock.ts'

/**
 * Milliseconds after which a connection that is idle in a transaction is ended, because its service probably no longer
 * runs.
 */
export const IDLE = 2_000
/**
 * Number of failed removals of a member after which they are reported. One or two may fail because a thread that still
 * runs holds a lock.
 */
const FAILURES_TOLD = 3

export interface DeadMember extends NodeLook {
  name: string
}

export interface MemberRemoverOptions extends Pick<ClusterOptions, 'onLost' | 'onNotRemoved'> {
  target: Target
  /** Id of the member that removes the others. */
  own: string
  /** Called each time that a member was removed. */
  onRemoved(): void
}

export interface MemberRemover {
  /**
   * Removes dead members. Does nothing while earlier ones are being removed, because the next look finds the others
   * again.
   */
  remove(dead: readonly DeadMember[]): void
  stop(): Promise<void>
}

export function createMemberRemover({ target, own, onLost, onNotRemoved, onRemoved }: MemberRemoverOptions): MemberRemover {
  const failures = new Map<string, number>()
  let removing: Promise<void> | undefined
  let link: Link | undefined
  let isStopped = false

  function noteFailure({ id, name }: DeadMember, cause: unknown): void {
    const count = (failures.get(id) ?? 0) + 1
    failures.set(id, count)
    if (count === FAILURES_TOLD) onNotRemoved(name, cause)
  }

  async function removeAll(dead: readonly DeadMember[]): Promise<void> {
    const used = await connect(target, { name: 'remover' })
    link = used
    try {
      if (isStopped) return
      await used.ask(endIdle(IDLE), SILENCE)
      for (const each of dead) {
        const isRemoved = await removeMember(used, own, each).catch((cause) => {
          noteFailure(each, cause)
          return false
        })
        if (!isRemoved) continue
        onLost(each.name)
        onRemoved()
      }
    } finally {
      await used.end()
    }
  }

  return {
    remove(dead) {
      if (dead.length === 0 || isStopped) return
      removing ??= removeAll(dead)
        // The error is ignored, because the looks notice too that the database cannot be reached.
        .catch(() => {})
        .finally(() => {
          removing = undefined
        })
    },
    async stop() {
      isStopped = true
      link?.drop()
      await removing
    },
  }
}
