import type { RuntimeState } from '../../../src/domain/instance.ts'
import { runAs } from '../baileys/thread/rejections.ts'
import type { Connection } from '../connection/contract.ts'
import type { Link } from '../connection/link.ts'
import type { Pairing } from '../connection/pairing/pairing.ts'
import type { Context } from '../context/instance-context.ts'
import type { Effect } from './contract.ts'

export interface LinkEffectsDeps<S extends Connection> {
  link: Link<S>
  pairing: Pairing
  state(): RuntimeState
  logoutDeadlineMs: number
}

export function createLinkEffects<S extends Connection>(
  { id, tally }: Context<'id' | 'tally'>,
  { link, pairing, state, logoutDeadlineMs }: LinkEffectsDeps<S>,
) {
  return async function carryOut(effect: Exclude<Effect, { do: 'timer' | 'networkReached' }>): Promise<void> {
    switch (effect.do) {
      case 'open':
        if (state().paired) tally.add('svc_engine_reconnects_total', { reason: state().reason ?? 'none' })
        return runAs(id, () => link.open(effect.fresh))
      case 'close':
        pairing.clear()
        return link.leave((current) => current.end())
      case 'logout':
        return link.leave((current) => current.logout(logoutDeadlineMs))
      case 'eraseCredentials':
        return link.erase()
      case 'refreshVersion':
        return link.refreshVersion()
      default:
        return effect satisfies never
    }
  }
}
