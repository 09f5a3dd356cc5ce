/**
 * Says what a service may do while other members of its cluster may use the same store. A service that is not in a
 * cluster may do everything.
 */
import type { OpenParts } from './store-backend.ts'

type Store = Pick<OpenParts, 'homes' | 'members'>

/**
 * True if this service may write the records of the instance: it is not in a cluster, or it is the home of the
 * instance.
 */
export const hasInstance = ({ homes, members }: Store, instance: string): boolean =>
  members === undefined || homes === undefined || homes.isOwn(instance)

/** True if no other member of the cluster runs. While one runs, data that looks like a leftover may be in use. */
export const isAlone = ({ members }: Pick<Store, 'members'>): boolean => (members?.others().length ?? 0) === 0
