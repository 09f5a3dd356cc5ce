/**
 * Starts a business account and a personal account of the gateway on one simulated network. The business changes its
 * data, and the personal account reads them.
 */
import { type Operations, operationsOf } from '../../harness/operations.ts'
import { type Json, joinStage, type Stage, startStage } from '../../harness/stage.ts'

/** Phone number of the business account of the gateway. */
export const ME = '5511999990000'
/** Phone number of the personal account of the gateway. */
export const EVA = '5511999990001'
/** Phone number of another business on the network. */
export const SHOP = '5511988880001'
/** Phone number of a person who has no business account. */
export const ANA = '5511988880002'
export const NOBODY = '5511977770000'

export interface Ground extends Operations {
  me: Stage
  eva: Operations & Pick<Stage, 'instance'>
  business(phone: string, changes: Json): Promise<unknown>
  /** Makes the network refuse the next query of the business that has this child. The query has no effect. */
  refuses(child: string, code: number): Promise<unknown>
  /**
   * Makes the network answer with `result` to the next query of the business that has this child. The query has no
   * effect.
   */
  answers(child: string, result: unknown[]): Promise<unknown>
  asUsual(): Promise<unknown>
  stop(): Promise<void>
}

export async function startGround(): Promise<Ground> {
  const me = await startStage(ME, { platform: 'smba' })
  const { world } = me
  const eva = await joinStage(world, EVA, { name: 'Eva' })
  const { sandbox } = world
  await sandbox.createContact(ANA, { name: 'Ana' })
  await sandbox.createContact(SHOP, { name: 'Shop', business: true })
  const instead = (child: string, action: unknown) =>
    sandbox.post('/answers', { match: { account: ME, tag: 'iq', child }, do: action, times: 1 })
  return {
    ...operationsOf(me),
    me,
    eva: { ...eva, ...operationsOf(eva) },
    business: (phone, changes) => sandbox.business(phone, changes),
    refuses: (child, code) => instead(child, { error: [code, 'refused'] }),
    answers: (child, result) => instead(child, { result }),
    asUsual: () => fetch(`${sandbox.url}/answers`, { method: 'DELETE' }),
    stop: () => world.stop(),
  }
}
