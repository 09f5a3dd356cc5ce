/** Creates groups whose members have LIDs or phone numbers, and finds both JIDs of each person. */
import type { Sandbox } from './sandbox.ts'

/** The kinds of addressing of a group: its members have LIDs or phone numbers. */
export type Addressing = 'lid' | 'pn'
export type ByAddressing<T> = Record<Addressing, T>

export interface Place {
  chat: string
  jid: string
}

export const chatOf = (group: string) => `${group.split('@')[0]}-group`

async function createTeam(sandbox: Sandbox, addressing: Addressing, participants: readonly string[]): Promise<Place> {
  const { id } = await sandbox.createGroup({ subject: 'Team', owner: participants[0], participants, addressing })
  return { chat: chatOf(id), jid: id }
}

/** Creates one group of each kind, with the same participants. The first participant owns both groups. */
export const createTeams = async (sandbox: Sandbox, participants: readonly string[]): Promise<ByAddressing<Place>> => ({
  lid: await createTeam(sandbox, 'lid', participants),
  pn: await createTeam(sandbox, 'pn', participants),
})

export async function addressesOf(sandbox: Sandbox): Promise<Record<string, ByAddressing<string>>> {
  type People = { phone: string; lid: string }[]
  const { phones, contacts } = await sandbox.get<{ phones: People; contacts: People }>('/state')
  return Object.fromEntries(
    [...phones, ...contacts].map(({ phone, lid }) => [phone, { lid: `${lid}@lid`, pn: `${phone}@s.whatsapp.net` }]),
  )
}
