import { type Clock, DAY, SECOND } from '../../../../src/domain/clock.ts'
import type { InstanceSettings } from '../../../../src/domain/instance.ts'
import type { AccountDirectory } from '../../directory/account-directory.ts'
import { budgetsFreeAt } from './rules.ts'

export interface FirstContactsDeps {
  clock: Clock
  steady: Clock
  directory: Pick<AccountDirectory, 'ready' | 'contactsSince'>
  onError(error: unknown): void
}

export interface BudgetEndDeps {
  clock: Clock
  steady: Clock
  settings(): InstanceSettings
  linkedAt(): number | null
}

export type FirstContacts = ReturnType<typeof createFirstContacts>

/**
 * Keeps the times of first messages to new people, on the monotonic clock. Contacts of earlier runs are read from the
 * directory once per linked device.
 */
export function createFirstContacts({ clock, steady, directory, onError }: FirstContactsDeps) {
  let times: number[] | undefined
  let loading: Promise<void> | undefined
  let onLoaded = () => {}

  async function read() {
    await directory.ready()
    const now = clock.now()
    // A contact that was recorded while the clock was ahead counts as made now.
    times = directory.contactsSince(now - DAY).map((at) => steady.now() - Math.max(0, now - at))
    onLoaded()
  }

  /**
   * Reads the contacts of earlier runs, if this was not done yet. A second reading would depend on the wall clock, and
   * could miss contacts of this run after the clock was set.
   */
  const load = async () => {
    if (times !== undefined) return
    loading ??= read().finally(() => {
      loading = undefined
    })
    await loading
  }

  return {
    load,
    onLoaded(listener: () => void) {
      onLoaded = listener
    },
    isLoaded() {
      // Many items call this at the same time, so they share one read, and its failure is reported only once.
      if (times === undefined && loading === undefined) load().catch(onError)
      return times !== undefined
    },
    times: () => times ?? [],
    add(): () => void {
      if (times === undefined) return () => {}
      const now = steady.now()
      times = [...times.filter((at) => at > now - DAY), now]
      return () => {
        const index = times?.lastIndexOf(now) ?? -1
        if (index >= 0) times = times!.toSpliced(index, 1)
      }
    },
    forget() {
      times = undefined
    },
  }
}

/**
 * Computes when the budgets allow a message to the next new person. Many waiting messages request this time at once, so
 * it is cached.
 */
export function createBudgetEnd({ clock, steady, settings, linkedAt }: BudgetEndDeps, contacts: () => readonly number[]) {
  let last: { settings: InstanceSettings; contacts: readonly number[]; difference: number; freeAt: number } | undefined

  return {
    freeAt(): number | undefined {
      const now = { at: clock.now(), steady: steady.now() }
      const difference = now.at - now.steady
      const isSame = last?.settings === settings() && last.contacts === contacts()
      if (last && isSame && Math.abs(last.difference - difference) < SECOND && now.steady < last.freeAt) return last.freeAt
      const freeAt = budgetsFreeAt(settings(), { contacts: contacts(), linkedAt: linkedAt() }, now)
      last = freeAt === undefined ? undefined : { settings: settings(), contacts: contacts(), difference, freeAt }
      return freeAt
    },
    forget() {
      last = undefined
    },
  }
}
