/** Rules for a service beside other members of its cluster. Without members it may do everything. */
import type { OpenParts } from './store-backend.ts'

type Store = Pick<OpenParts, 'homes' | 'members'>

/** Only the service that has an instance may write the records of that instance. */
export const hasInstance = ({ homes, members }: Store, instance: string): boolean =>
  members === undefined || homes === undefined || homes.isOwn(instance)

/** While others run, what looks like a leftover may be in use. */
export const isAlone = ({ members }: Pick<Store, 'members'>): boolean => (members?.others().length ?? 0) === 0
