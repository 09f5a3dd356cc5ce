/** The pretend network's control API (shared/api/sandbox.md), through the service. */
import { ask } from '../../api/client.ts'

export interface Person {
  phone: string
  name: string | null
  devices: readonly unknown[]
}

export interface State {
  phones: readonly Person[]
  contacts: readonly Person[]
  groups: readonly { id: string; subject: string }[]
}

export interface InboxItem {
  seq: number
  from: string
  at: string | number
  kind: string
  text: string | null
}

const phonePath = (phone: string) => `api/sandbox/phones/${encodeURIComponent(phone)}`
const contactPath = (phone: string) => `api/sandbox/contacts/${encodeURIComponent(phone)}`

export const loadState = () => ask<State>('GET', 'api/sandbox/state')
export const createPhone = (phone: string, name: string) =>
  ask('POST', 'api/sandbox/phones', { phone, ...(name ? { name } : {}) })
export const createContact = (phone: string, name: string) =>
  ask('POST', 'api/sandbox/contacts', { phone, ...(name ? { name } : {}) })
export const scan = (phone: string, image: string) => ask('POST', `${phonePath(phone)}/scan`, { image })
export const write = (contact: string, to: string, text: string) =>
  ask<{ id: string }>('POST', `${contactPath(contact)}/send`, { to, message: { text } })
export const inbox = (contact: string) => ask<{ items: InboxItem[] }>('GET', `${contactPath(contact)}/inbox?after=0&wait_ms=0`)
