import type { StoredHome } from '../../storage/homes.ts'
import type { StartAgain } from './contract.ts'

/**
 * Returns how to start an instance: `takeover` if it was taken over from a service that failed. `home` is the entry of
 * the instance before this service claimed it, or the present entry if this service has it.
 */
export const startHowOf = (home: StoredHome | undefined, self: string): StartAgain =>
  home !== undefined && (home.isTakenOver || hasFailed(home, self)) ? 'takeover' : 'boot'

/** Whether the service that had the instance has ended without releasing it. */
export const hasFailed = ({ writer }: StoredHome, self: string): boolean => writer !== null && writer !== self
