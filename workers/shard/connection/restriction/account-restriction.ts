/** Holds the network's restriction of the account, which then cannot message people who never wrote to it. */
import type { Restriction } from '../../../../src/domain/instance.ts'
import type { Context } from '../../context/instance-context.ts'

export interface AccountRestriction {
  now(): Restriction | null
  /** Begins or ends the restriction immediately, because the next message may be about to be sent. */
  change(restriction: Restriction | null): void
}

/** `onChange` is called before the next message of the queue is sent. */
export function createAccountRestriction(
  { tally, log }: Context<'tally' | 'log'>,
  { onChange }: { onChange(restriction: Restriction | null): void },
): AccountRestriction {
  let current: Restriction | null = null

  return {
    now: () => current,
    change(restriction) {
      if (JSON.stringify(restriction) === JSON.stringify(current)) return
      if (restriction && !current) {
        tally.add('svc_restrictions_total', { kind: restriction.kind })
        log.warn({ ...restriction }, 'the network restricts the account: it cannot message people who never wrote to it')
      } else if (!restriction) log.info('the network lifted the restriction of the account')
      current = restriction
      onChange(restriction)
    },
  }
}
