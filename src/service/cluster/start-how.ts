import type { StoredHome } from '../../storage/homes.ts'
import type { StartAgain } from './contract.ts'

/** `home` is the entry of the instance before this service has claimed it, or the present one if this service has it. */
export const startHowOf = (home: StoredHome | undefined, self: string): StartAgain =>
  home !== undefined && (home.isTakenOver || hasFailed(home, self)) ? 'takeover' : 'boot'

/** Whether the service that had the instance has ended without releasing it. */
export const hasFailed = ({ writer }: StoredHome, self: string): boolean => writer !== null && writer !== self
