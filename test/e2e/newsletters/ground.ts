/** The first account changes a channel on the simulated network, and the second account sees the change. */
import assert from 'node:assert/strict'
import { MEX, type MexName } from '../../../workers/shard/wire/mex.ts'
import { type Operations, operationsOf } from '../../harness/operations.ts'
import { type Json, joinStage, type Stage, startStage } from '../../harness/stage.ts'

export const ME = '5511999990000'
export const EVA = '5511999990001'
export const ANA = '5511988880001'
export const BEN = '5511988880002'
export const NOBODY = '5511977770000'
export const NOWHERE = '120363000000000000@newsletter'

export interface Channel {
  id: string
  name: string
  description: string
  owner: string
  subscribers: Record<string, string>
  muted: string[]
  invited: string[]
  picture: string | null
  reaction_codes: string
}

export interface Ground extends Operations {
  me: Stage
  eva: Operations & Pick<Stage, 'instance' | 'outcome'>
  /** Creates a channel. The second account follows it, unless `more` says otherwise. */
  channel(more?: Json): Promise<{ id: string; invite: string }>
  /** Returns the channel as it is on the network. Undefined if it does not exist. */
  inNetwork(id: string): Promise<Channel | undefined>
  noticesOf(phone: string): Promise<string[]>
  /** Makes the network refuse the next `times` queries of this kind with this error code. They have no effect. */
  refuses(name: MexName, code: number, times?: number): Promise<unknown>
  /** Makes the network answer the next query of this kind with this value. The query has no effect. */
  answers(name: MexName, value: unknown): Promise<unknown>
  asUsual(): Promise<unknown>
  stop(): Promise<void>
}

export async function startGround(): Promise<Ground> {
  const me = await startStage(ME)
  const { world } = me
  const eva = await joinStage(world, EVA, { name: 'Eva' })
  const { sandbox } = world
  for (const [phone, name] of [
    [ANA, 'Ana'],
    [BEN, 'Ben'],
  ] as const)
    await sandbox.createContact(phone, { name })

  const instead = (name: MexName, body: unknown, times = 1) =>
    sandbox.post('/answers', {
      match: { account: ME, xmlns: 'w:mex', child: 'query', child_attrs: { query_id: MEX[name].id } },
      do: { result: [['result', {}, JSON.stringify(body)]] },
      times,
    })

  return {
    ...operationsOf(me),
    me,
    eva: { ...eva, ...operationsOf(eva) },
    channel: (more = {}) =>
      sandbox.post<{ id: string; invite: string }>('/newsletters', {
        owner: ME,
        name: 'Product news',
        description: 'What changed',
        subscribers: [EVA],
        ...more,
      }),
    async inNetwork(id) {
      const { newsletters } = await sandbox.get<{ newsletters: Channel[] }>('/state')
      return newsletters.find((each) => each.id === id)
    },
    async noticesOf(phone) {
      const { phones } = await sandbox.get<{ phones: { phone: string; notices: string[] }[] }>('/state')
      const found = phones.find((each) => each.phone === phone)
      assert.ok(found)
      return found.notices
    },
    refuses(name, code, times) {
      const { field } = MEX[name]
      const error = {
        extensions: { error_code: code, is_retryable: false, severity: 'CRITICAL' },
        message: 'refused',
        path: [field],
      }
      return instead(name, { data: { [field]: null }, errors: [error] }, times)
    },
    answers: (name, value) => instead(name, { data: { [MEX[name].field]: value } }),
    asUsual: () => fetch(`${sandbox.url}/answers`, { method: 'DELETE' }),
    stop: () => world.stop(),
  }
}
