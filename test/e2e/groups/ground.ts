/**
 * Starts two accounts of the gateway on one simulated network: the first account changes a group, and the second
 * receives the notifications.
 */
import { type Operations, operationsOf } from '../../harness/operations.ts'
import { chatOf } from '../../harness/places.ts'
import { type Json, joinStage, type Stage, startStage } from '../../harness/stage.ts'

export const ME = '5511999990000'
export const EVA = '5511999990001'
export const ANA = '5511988880001'
export const BEN = '5511988880002'
export const NOBODY = '5511988880000'

export const parameters = ({ notification_parameters }: Json) => notification_parameters as string[]

export interface Ground extends Operations {
  me: Stage
  eva: Stage
  /** Creates a group. The first account owns it, and both accounts are members, unless the options say otherwise. */
  group(options?: {
    owner?: string
    participants?: string[]
    settings?: Json
    subject?: string
  }): Promise<{ id: string; chat: string }>
  /**
   * Creates a community. The first account owns it if no owner is given. `announcement` and `general` are the chats of
   * its groups.
   */
  community(owner?: string, members?: string[]): Promise<{ id: string; chat: string; announcement: string; general: string }>
  change(id: string, changes: Json): Promise<unknown>
  people(id: string, action: string, phones: string[], by?: string): Promise<unknown>
  heard(chat: string, notification: string): Promise<Json>
  /** Makes the network refuse the next `times` queries that have this child. The queries have no effect. */
  refuses(child: string, code: number, times?: number): Promise<unknown>
  stop(): Promise<void>
}

export async function startGround(): Promise<Ground> {
  const me = await startStage(ME)
  const { world } = me
  const eva = await joinStage(world, EVA, { name: 'Eva' })
  const { sandbox, receiver } = world
  await sandbox.createContact(ANA, { name: 'Ana' })
  await sandbox.createContact(BEN, { name: 'Ben' })

  return {
    ...operationsOf(me),
    me,
    eva,
    async group({ owner = ME, participants = [ME, EVA, ANA], settings, subject = 'Team' } = {}) {
      const { id } = await sandbox.createGroup({ subject, owner, participants, ...(settings ? { settings } : {}) })
      return { id, chat: chatOf(id) }
    },
    async community(owner = ME, members = [ME, EVA, ANA]) {
      const made = await sandbox.post<{ id: string; announcement_id: string; general_id: string }>('/communities', {
        owner,
        name: 'Customers',
        description: 'News',
        participants: members.filter((phone) => phone !== owner),
      })
      return { id: made.id, chat: chatOf(made.id), announcement: chatOf(made.announcement_id), general: chatOf(made.general_id) }
    },
    change: (id, changes) => sandbox.put(`/groups/${id}`, { by: ANA, ...changes }),
    people: (id, action, phones, by = ANA) => sandbox.post(`/groups/${id}/participants`, { by, action, phones }),
    heard: (chat, notification) =>
      receiver.waitFor(
        `${notification} in ${chat}`,
        (event) => event.instance_id === eva.instance.id && event.phone === chat && event.notification === notification,
      ) as Promise<Json>,
    refuses: (child, code, times = 1) =>
      sandbox.fault({ on: 'query', match: { child, phone: ME }, do: { query_error: [code, 'refused'] }, times }),
    stop: () => world.stop(),
  }
}

export { codeOf, detailsOf } from '../../harness/operations.ts'
