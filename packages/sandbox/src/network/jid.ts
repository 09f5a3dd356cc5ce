import { SERVER } from '../wire/node.ts'

export const STATUS = 'status@broadcast'
export const GROUP_SERVER = 'g.us'
const NEWSLETTER_SERVER = 'newsletter'

export interface Address {
  user: string
  server: string
  device: number
}

/** Parses `user:device@server`. If the device is missing, it is 0, which is the phone. */
export function parseJid(jid: string): Address {
  const at = jid.indexOf('@')
  const name = at < 0 ? jid : jid.slice(0, at)
  const server = at < 0 ? SERVER : jid.slice(at + 1)
  const [agent = '', device = '0'] = name.split(':')
  const user = agent.split('_')[0] ?? ''
  return { user, server: server === 'c.us' ? SERVER : server, device: Number(device) }
}

export function jid(user: string, server: string, device = 0): string {
  return device > 0 ? `${user}:${device}@${server}` : `${user}@${server}`
}

export const isGroup = (chat: string) => chat.endsWith(`@${GROUP_SERVER}`)
export const isNewsletter = (chat: string) => chat.endsWith(`@${NEWSLETTER_SERVER}`)

export function digits(text: string): string {
  return parseJid(text).user.replace(/\D/g, '')
}

export function lidOf(number: string): string {
  return `2${number.padStart(14, '0')}`
}

export function numberOfLid(lid: string): string | undefined {
  return /^2\d{14,}$/.test(lid) ? lid.slice(1).replace(/^0+/, '') : undefined
}
