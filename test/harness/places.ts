/** Where is written to, and what people are called there: groups in both kinds of addressing, numbers in both namespaces. */
import type { Sandbox } from './sandbox.ts'

/** The kinds of addressing: by LID, or by phone number. */
export type Addressing = 'lid' | 'pn'
export type ByAddressing<T> = Record<Addressing, T>

/** A group as the API writes it, and as the network does. */
export interface Place {
  chat: string
  jid: string
}

/** A group's jid as the API writes it. */
export const chatOf = (group: string) => `${group.split('@')[0]}-group`

async function createTeam(sandbox: Sandbox, addressing: Addressing, participants: readonly string[]): Promise<Place> {
  const { id } = await sandbox.createGroup({ subject: 'Team', owner: participants[0], participants, addressing })
  return { chat: chatOf(id), jid: id }
}

/** One group of each kind; the first participant owns both. */
export const createTeams = async (sandbox: Sandbox, participants: readonly string[]): Promise<ByAddressing<Place>> => ({
  lid: await createTeam(sandbox, 'lid', participants),
  pn: await createTeam(sandbox, 'pn', participants),
})

/** The jids of everybody on the network, by number. */
export async function addressesOf(sandbox: Sandbox): Promise<Record<string, ByAddressing<string>>> {
  type People = { phone: string; lid: string }[]
  const { phones, contacts } = await sandbox.get<{ phones: People; contacts: People }>('/state')
  return Object.fromEntries(
    [...phones, ...contacts].map(({ phone, lid }) => [phone, { lid: `${lid}@lid`, pn: `${phone}@s.whatsapp.net` }]),
  )
}
