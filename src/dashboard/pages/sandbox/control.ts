import { ask } from '../../api/client.ts'

export interface Person {
  phone: string
  name: string | null
  devices: readonly unknown[]
}

export interface Phone extends Person {
  /** True if the phone links a device only with its passkey. */
  demands_passkey: boolean
  /** The last linking for which the phone demanded its passkey; null if there was none. */
  ceremony: Ceremony | null
}

interface Ceremony {
  asks: 'link' | 'code' | null
  code: string | null
}

export interface State {
  phones: readonly Phone[]
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
export const scan = (phone: string, image: string) =>
  ask<{ device: number | null }>('POST', `${phonePath(phone)}/scan`, { image })
/**
 * Makes a phone demand its passkey, or not. `never`: the phone does not answer by itself, so that the user can answer
 * on the page.
 */
export const demandPasskey = (phone: string, isDemanded: boolean) =>
  isDemanded ? ask('PUT', `${phonePath(phone)}/passkey`, { answers: 'never' }) : ask('DELETE', `${phonePath(phone)}/passkey`)
export const acceptPasskey = (phone: string, yes: boolean) => ask('POST', `${phonePath(phone)}/passkey/accept`, { yes })
export const unlink = (phone: string) => ask('POST', `${phonePath(phone)}/unlink`, {})
export const restrict = (phone: string, seconds: number) => ask('PUT', `${phonePath(phone)}/restriction`, { seconds })
export const ban = (phone: string) => ask('POST', `${phonePath(phone)}/ban`)
export const cut = (phone: string) => ask('POST', `${phonePath(phone)}/cut`)
export const setNetwork = (down: boolean) => ask('PUT', 'api/sandbox/network', { down })
export const write = (contact: string, to: string, text: string) =>
  ask<{ id: string }>('POST', `${contactPath(contact)}/send`, { to, message: { text } })
export const inbox = (contact: string) => ask<{ items: InboxItem[] }>('GET', `${contactPath(contact)}/inbox?after=0&wait_ms=0`)
