import type { Assertion, PasskeyInput, PasskeyView } from '../../packages/sandbox/src/testing.ts'
import { must } from './http.ts'

/** A media file as the contact received it: downloaded, decrypted and hashed. `error`: why this failed. */
export interface ReceivedMedia {
  mime: string
  bytes: number
  sha256: string
  error?: string
}

export interface InboxItem {
  seq: number
  id: string
  from: string
  chat: string
  kind: string
  text: string | null
  proto: Record<string, unknown>
  media: ReceivedMedia | null
  /** Media inside other content, such as headers, cards, or the picture of a product. */
  inner_media?: ReceivedMedia[]
  /**
   * The decrypted content of a vote, an answer to an event, an encrypted edit or a reaction. `error`: why the
   * decryption failed.
   */
  opened?: Record<string, unknown>
  attrs?: Record<string, string>
  /** Child nodes of the stanza, without those that contain ciphertexts. */
  nodes?: { tag: string; attrs: Record<string, string>; content?: unknown }[]
  retries: number
  /** How often the message arrived again with the same id. */
  repeats?: number
  repeats_differ?: true
}

export interface Stats {
  connections: number
  stanzas_in: number
  stanzas_out: number
  undecryptable: number
  unknown_queries: string[]
  uploads: number
}

export function createSandbox(url: string) {
  const post = <T>(path: string, body: unknown = {}) => must<T>('POST', url + path, body)
  const put = <T>(path: string, body: unknown = {}) => must<T>('PUT', url + path, body)
  const get = <T>(path: string) => must<T>('GET', url + path)
  return {
    url,
    get,
    post,
    put,
    /**
     * Returns the number of stanzas, for all phones, that the network would send again because they were not
     * acknowledged.
     */
    async pending(): Promise<number> {
      const { phones } = await get<{ phones: { devices: { pending: number }[] }[] }>('/state')
      return phones.flatMap(({ devices }) => devices).reduce((sum, device) => sum + device.pending, 0)
    },
    stats: () => must<Stats>('GET', `${url}/stats`) as Promise<Stats>,
    settings: (changes: Record<string, unknown>) => must('PUT', `${url}/settings`, changes),
    reset: () => post('/reset'),
    createPhone: (phone: string, more: Record<string, unknown> = {}) => post('/phones', { phone, ...more }),
    /** `code` is a PNG data URL, or the text in the code. */
    scan: (phone: string, code: string) =>
      post<{ device: number }>(`/phones/${phone}/scan`, code.startsWith('data:') ? { image: code } : { qr: code }),
    enterCode: (phone: string, code: string) => post<{ device: number }>(`/phones/${phone}/enter-code`, { code }),
    setPasskey: (phone: string, input: PasskeyInput = {}) => put<PasskeyView>(`/phones/${phone}/passkey`, input),
    passkey: (phone: string) => get<PasskeyView>(`/phones/${phone}/passkey`),
    signPasskey: async (phone: string, public_key: unknown, more: Record<string, unknown> = {}) =>
      (await post<{ assertion: Assertion }>(`/phones/${phone}/passkey/sign`, { public_key, ...more })).assertion,
    acceptPasskey: (phone: string, more: { yes?: boolean; code?: string } = {}) =>
      post<PasskeyView>(`/phones/${phone}/passkey/accept`, more),
    sayPasskey: (phone: string, what: 'request' | 'refresh' | 'continuation') =>
      post<PasskeyView>(`/phones/${phone}/passkey/say`, { what }),
    unlink: (phone: string) => post(`/phones/${phone}/unlink`),
    cut: (phone: string) => post(`/phones/${phone}/cut`),
    createContact: (phone: string, more: Record<string, unknown> = {}) => post('/contacts', { phone, ...more }),
    updateContact: (phone: string, more: Record<string, unknown>) => must('PUT', `${url}/contacts/${phone}`, more),
    send: (from: string, to: string, message: unknown, more: Record<string, unknown> = {}) =>
      post<{ id: string }>(`/contacts/${from}/send`, { to, message, ...more }),
    sendFromPhone: (phone: string, to: string, message: unknown) =>
      post<{ id: string }>(`/phones/${phone}/send`, { to, message }),
    burst: (
      from: string,
      to: string,
      count: number,
      text_prefix: string,
      more: { per_second?: number | undefined; lead_ms?: number } = {},
    ) => post<{ first_id: string; count: number }>(`/contacts/${from}/burst`, { to, count, text_prefix, ...more }),
    async inbox(phone: string, after = 0, waitMs = 0): Promise<InboxItem[]> {
      const path = `${url}/contacts/${phone}/inbox?after=${after}&wait_ms=${waitMs}`
      return (await must<{ items: InboxItem[] }>('GET', path)).items
    },
    receipt: (phone: string, chat: string, ids: string[], type: string) =>
      post(`/contacts/${phone}/receipt`, { chat, ids, type }),
    business: (phone: string, input: Record<string, unknown>) => must('PUT', `${url}/business/${phone}`, input),
    createGroup: (input: Record<string, unknown>) => post<{ id: string }>('/groups', input),
    fault: (fault: Record<string, unknown>) => post<{ id: string }>('/faults', fault),
    clearFaults: () => must('DELETE', `${url}/faults`),
    setDown: (down: boolean) => must('PUT', `${url}/network`, { down }),
    forge: (what: string) => post('/forge', { what }),
  }
}
export type Sandbox = ReturnType<typeof createSandbox>
