import { ControlError } from '../control/control-error.ts'
import type { FramesInput, PushInput } from '../control/schemas/network.ts'
import { fromJson } from '../watch/stanza-json.ts'
import type { BinaryNode } from '../wire/node.ts'
import { enqueue } from './delivery.ts'
import type { Network } from './model.ts'

function read(input: PushInput): BinaryNode {
  try {
    return fromJson(input.node)
  } catch (error) {
    throw new ControlError('invalid_request', `node: ${error instanceof Error ? error.message : error}`)
  }
}

/** Sends a stanza to clients. It is sent unchanged, even if no real server would send it. */
export function pushStanza(network: Network, input: PushInput): { devices: number } {
  const item = read(input)
  if (input.conn !== undefined) {
    const connection = [...network.connections].find(({ id }) => id === input.conn)
    if (!connection) throw new ControlError('not_found', `there is no connection ${input.conn}`)
    connection.send(item)
    return { devices: 1 }
  }
  const companions = [...(network.people.get(input.phone ?? '')?.companions.values() ?? [])]
  const reached = input.keep ? companions : companions.filter(({ connection }) => connection !== undefined)
  if (reached.length === 0) throw new ControlError('conflict', `${input.phone} has no linked device that could get it`)
  for (const companion of reached) {
    if (input.keep) enqueue(network, companion, item)
    else companion.connection?.send(item)
  }
  return { devices: reached.length }
}

/**
 * Sends frames with any content to the devices of an account, including encodings that the simulator's own encoder does
 * not use.
 */
export function pushFrames(network: Network, { phone, frames }: FramesInput): { devices: number } {
  const companions = network.people.get(phone)?.companions.values() ?? []
  const connections = [...companions].flatMap(({ connection }) => connection ?? [])
  if (connections.length === 0) throw new ControlError('conflict', `${phone} has no linked device that is connected`)
  for (const connection of connections) for (const frame of frames) connection.sendFrame(Buffer.from(frame, 'base64'))
  return { devices: connections.length }
}
