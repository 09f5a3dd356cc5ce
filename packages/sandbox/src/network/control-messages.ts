import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import type { MessageInput } from '../control/network-control.ts'
import { type ComposeContext, compose } from '../people/compose.ts'
import { findKnown } from './control-people.ts'
import { digits, isGroup } from './jid.ts'
import type { Network, Person } from './model.ts'
import { findPerson, jidOf, pnOf } from './people.ts'
import { newMessageId, type SendAsOptions, sendAs } from './send-as.ts'

export type Upload = ComposeContext['upload']

/** Returns the context in which this person composes a message to the chat `to`. */
export function contextFor(network: Network, from: Person, to: string, upload: Upload): ComposeContext {
  const isLid = to.endsWith('@lid')
  const addressing = isLid ? 'lid' : (network.groups.get(to)?.addressing ?? network.settings.addressing)
  const address = (person: string) => {
    const found = findPerson(network, person.includes('@') ? person : pnOf(findKnown(network, person)))
    return found ? jidOf(found, addressing) : person
  }
  return {
    chat: to.includes('@') ? to : address(to),
    self: pnOf(from),
    find(id) {
      const own = from.sent.get(id)
      if (own) return { id, author: pnOf(from), message: proto.Message.decode(own.message) }
      const item = from.inbox.find(id)
      return item && { id, author: pnOf(findKnown(network, item.from)), message: proto.Message.fromObject(item.proto as object) }
    },
    jid: address,
    upload,
    now: Date.now,
  }
}

export async function say(
  network: Network,
  from: Person,
  to: string,
  input: MessageInput,
  upload: Upload,
  options: Pick<SendAsOptions, 'id' | 'unavailable' | 'damage'> = {},
) {
  const chat = to.includes('@') ? to : digits(to)
  const { message, ...about } = await compose(input, contextFor(network, from, chat, upload))
  return sendAs(network, from, chat, message, { ...options, about })
}

export interface ContactMessage {
  to: string
  message: MessageInput
  id?: string | undefined
  delayMs?: number | undefined
  options: Pick<SendAsOptions, 'unavailable' | 'damage'>
}

export async function sayAsContact(
  network: Network,
  from: Person,
  { to, message, id = newMessageId(), delayMs = 0, options }: ContactMessage,
  upload: Upload,
) {
  if (!isGroup(to) && !to.includes('@')) findKnown(network, to)
  const send = () => say(network, from, to, message, upload, { id, ...options })
  if (delayMs === 0) return send()
  network.later(delayMs, () => network.run(send()))
  return { id }
}
