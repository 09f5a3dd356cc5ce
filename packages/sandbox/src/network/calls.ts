import { randomBytes } from 'node:crypto'
import { type BinaryNode, firstChild, node, randomId, seconds } from '../wire/node.ts'
import { acknowledgement } from './acknowledgement.ts'
import { enqueue } from './delivery.ts'
import type { Call, Companion, Network, Person } from './model.ts'
import { addSignal, findPerson, jidOf, lidJidOf, pnOf } from './people.ts'

export interface CallOptions {
  video?: boolean
  group?: string
  end: 'timeout' | 'hangup'
  after_ms: number
}

export function placeCall(network: Network, from: Person, to: Person, options: CallOptions): { id: string } {
  const id = randomId().repeat(2)
  const call: Call = { id, from, to, state: 'ringing' }
  network.calls.set(id, call)
  const group = options.group === undefined ? {} : { 'group-jid': options.group, type: 'group' }
  const media = options.video
    ? [node('audio', { enc: 'opus', rate: 16_000 }), node('video', { enc: 'vp8' })]
    : [node('audio', { enc: 'opus', rate: 16_000 })]
  send(network, call, node('offer', { ...identity(network, call), ...group }, media))
  network.later(options.after_ms, () => {
    if (call.state !== 'ringing') return
    call.state = options.end === 'timeout' ? 'missed' : 'ended'
    const reason = options.end === 'timeout' ? { reason: 'timeout' } : {}
    send(network, call, node('terminate', { ...identity(network, call), ...reason }))
  })
  return { id }
}

function identity(network: Network, { id, from }: Call) {
  return { 'call-id': id, 'call-creator': jidOf(from, network.settings.addressing), caller_pn: pnOf(from) }
}

function send(network: Network, { from, to }: Call, content: BinaryNode) {
  const other = network.settings.addressing === 'lid' ? { sender_pn: pnOf(from) } : { sender_lid: lidJidOf(from) }
  const attrs = { from: jidOf(from, network.settings.addressing), ...other, t: seconds() }
  for (const companion of to.companions.values())
    enqueue(network, companion, node('call', { ...attrs, id: randomId() }, [content]))
}

/**
 * Answers a client's stanza about a call, such as a rejection or a request for a link to a call. Without an answer, the
 * client would wait until its timeout.
 */
export function receiveCall(network: Network, companion: Companion, item: BinaryNode) {
  const what = firstChild(item)
  const { connection, person } = companion
  if (what?.tag === 'link_create') {
    const token = randomBytes(16).toString('base64url')
    return connection?.send({ ...acknowledgement(item), content: [node('link_create', { token, media: what.attrs.media })] })
  }
  const call = network.calls.get(what?.attrs['call-id'] ?? '')
  if (what?.tag === 'reject' && call?.state === 'ringing') call.state = 'rejected'
  const caller = findPerson(network, item.attrs.to ?? '')
  if (caller)
    addSignal(caller, {
      kind: 'call',
      type: what?.tag ?? '',
      from: person.number,
      chat: item.attrs.to ?? '',
      ids: [call?.id ?? ''],
    })
  connection?.send(acknowledgement(item))
}
