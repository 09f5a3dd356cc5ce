/** Holds the configuration records of all instances in memory, in the order of creation. */
import { hashOf, isSameHash } from '../account/credentials.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import type { InstanceRecord } from './instance-object.ts'

export interface InstanceCaller {
  instance: InstanceId
  workspace: WorkspaceId
}

export interface HeldInstances {
  hold(record: InstanceRecord): void
  forget(instance: string): void
  find(instance: string): InstanceRecord | undefined
  /** Returns the record of an instance. Throws `not_found` for an unknown id. */
  get(instance: string): InstanceRecord
  ids(): Iterable<string>
  of(workspace: WorkspaceId): InstanceRecord[]
  /** Returns the instance with this id and token, or undefined. Compares the token in constant time. */
  authenticate(instance: string, token: string): InstanceCaller | undefined
  authenticateToken(token: string): InstanceCaller | undefined
}

interface Held {
  record: InstanceRecord
  tokenHash: string
}

/**
 * Hash with which the token is compared if the id is unknown, so that the look-up takes the same time as for a wrong
 * token.
 */
const NOBODY = hashOf('')

const callerOf = ({ id, workspace }: InstanceRecord): InstanceCaller => ({
  instance: id as InstanceId,
  workspace: workspace as WorkspaceId,
})

export function createHeldInstances(): HeldInstances {
  const instances = new Map<string, Held>()
  const byTokenHash = new Map<string, string>()

  return {
    hold(record) {
      const before = instances.get(record.id)
      const tokenHash = before?.record.token === record.token ? before.tokenHash : hashOf(record.token)
      if (before && before.tokenHash !== tokenHash) byTokenHash.delete(before.tokenHash)
      byTokenHash.set(tokenHash, record.id)
      instances.set(record.id, { record, tokenHash })
    },
    forget(instance) {
      byTokenHash.delete(instances.get(instance)?.tokenHash ?? '')
      instances.delete(instance)
    },
    find: (instance) => instances.get(instance)?.record,
    get(instance) {
      const found = instances.get(instance)
      if (!found) throw new Failure('not_found', { message: 'No instance has this id.' })
      return found.record
    },
    ids: () => instances.keys(),
    of: (workspace) => [...instances.values()].flatMap(({ record }) => (record.workspace === workspace ? [record] : [])),
    authenticate(instance, token) {
      const found = instances.get(instance)
      if (!isSameHash(hashOf(token), found?.tokenHash ?? NOBODY) || !found) return undefined
      return callerOf(found.record)
    },
    authenticateToken(token) {
      const hash = hashOf(token)
      const found = instances.get(byTokenHash.get(hash) ?? '')
      return found && isSameHash(found.tokenHash, hash) ? callerOf(found.record) : undefined
    },
  }
}
