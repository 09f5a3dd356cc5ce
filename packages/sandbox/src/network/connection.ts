import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { StanzaFacts } from '../watch/match.ts'
import { decodeNode, encodeNode } from '../wire/codec.ts'
import { createFrameSplitter, frame } from '../wire/frame-splitter.ts'
import { type BinaryNode, node } from '../wire/node.ts'
import { type ClientHandshake, createNoiseResponder, type Transport } from '../wire/noise-responder.ts'
import type { Connection, Network } from './model.ts'

export interface ConnectionEvents {
  handshake(connection: Connection, client: ClientHandshake): void
  stanza(connection: Connection, item: BinaryNode): void
  closed(connection: Connection): void
}

/** Time in ms between a stream error and the end of the connection. */
const STREAM_ERROR_GRACE = 100

/** Keeps track of the answers that the network expects from the client. */
function createExpectedAnswers() {
  const expected = new Map<string, { resolve: (item: BinaryNode) => void; reject: (error: Error) => void }>()
  return {
    of: (id: string) => new Promise<BinaryNode>((resolve, reject) => expected.set(id, { resolve, reject })),
    /** Handles an answer, and drops it if it is not expected. Returns false if the stanza is not an answer. */
    take(item: BinaryNode): boolean {
      const { id, type } = item.attrs
      if (item.tag !== 'iq' || id === undefined || (type !== 'result' && type !== 'error')) return false
      expected.get(id)?.resolve(item)
      expected.delete(id)
      return true
    },
    rejectAll(error: Error) {
      for (const { reject } of expected.values()) reject(error)
      expected.clear()
    },
  }
}

export function acceptConnection(network: Network, socket: WebSocket, wire: Duplex, events: ConnectionEvents): Connection {
  const reader = createFrameSplitter()
  const responder = createNoiseResponder(network.trust)
  const answers = createExpectedAnswers()
  let step: 'hello' | 'finish' | 'open' | 'closed' = 'hello'
  let transport: Transport | undefined
  let isCorked = false

  /** Collects all data that are sent in one turn of the event loop, so that they are written with one system call. */
  function cork() {
    if (isCorked) return
    isCorked = true
    wire.cork()
    setImmediate(() => {
      isCorked = false
      wire.uncork()
    })
  }

  function write(payload: Uint8Array) {
    if (step === 'closed') return
    cork()
    socket.send(frame(payload))
  }

  const connection: Connection = {
    id: randomBytes(6).toString('hex'),
    network,
    companion: undefined,
    registration: undefined,
    isLive: false,
    backlog: undefined,
    get isOpen() {
      return step === 'open'
    },
    send(item, isOrdered = false) {
      if (!transport || step !== 'open') return
      network.stats.stanzasOut += 1
      network.trace.saw(factsOf(connection, 'server'), item, isOrdered)
      write(transport.encrypt(encodeNode(item)))
    },
    sendFrame(payload) {
      if (transport && step === 'open') write(transport.encrypt(payload))
    },
    sendGarbage() {
      if (transport) write(transport.encrypt(Buffer.from([0, 0xff, 0xff, 0xff])).fill(0x55))
    },
    expect: answers.of,
    end(last) {
      if (last) connection.send(last)
      if (step === 'closed') return
      closed()
      // The connection ends a moment after a stream error, without a close frame.
      if (last?.tag === 'stream:error') return network.later(STREAM_ERROR_GRACE, () => socket.terminate())
      socket.close()
      // If the client does not answer the close frame, it is disconnected after a moment.
      network.later(1_000, () => socket.terminate())
    },
    cut() {
      closed()
      socket.terminate()
    },
  }

  function closed() {
    if (step === 'closed') return
    step = 'closed'
    answers.rejectAll(new Error('the connection was closed'))
    network.connections.delete(connection)
    events.closed(connection)
  }

  function hello(message: Buffer) {
    const action = network.faults.take('handshake', {})
    if (action === 'drop') return
    if (action === 'cut') return connection.cut()
    const forged = (['root', 'leaf'] as const).find((what) => network.forged.delete(what))
    const { answer, client } = responder.hello(message, forged)
    step = 'finish'
    const isCorrupt = typeof action === 'object' && 'corrupt' in action
    const send = () => {
      write(isCorrupt ? answer.fill(0x55, answer.length - 16) : answer)
      if (client) opened(client)
    }
    if (typeof action === 'object' && 'delay_ms' in action) network.later(action.delay_ms, send)
    else send()
  }

  function opened(client: ClientHandshake) {
    transport = client.transport
    step = 'open'
    events.handshake(connection, client)
  }

  function take(bytes: Buffer) {
    if (step === 'hello') return hello(bytes)
    if (step === 'finish') return opened(responder.finish(bytes))
    if (!transport || step === 'closed') return
    const item = decodeNode(transport.decrypt(bytes))
    network.stats.stanzasIn += 1
    network.trace.saw(factsOf(connection, 'client'), item)
    if (!answers.take(item)) events.stanza(connection, item)
  }

  socket.on('message', (data: Buffer) => {
    try {
      for (const bytes of reader.push(data)) take(bytes)
    } catch (error) {
      // Any error ends the connection: after a frame that cannot be decrypted, no later frame can be trusted.
      network.note(`a connection was dropped: ${String(error)}`)
      connection.cut()
    }
  })
  socket.on('error', () => connection.cut())
  socket.on('close', closed)
  network.connections.add(connection)
  return connection
}

export const factsOf = ({ id, companion }: Connection, from: 'client' | 'server'): StanzaFacts => ({
  from,
  conn: id,
  account: companion?.person.number,
})

export function streamError(code: number | 'replaced' | 'device_removed'): BinaryNode {
  if (code === 'replaced') return node('stream:error', {}, [node('conflict', { type: 'replaced' })])
  if (code === 'device_removed') return node('stream:error', { code: 401 }, [node('conflict', { type: 'device_removed' })])
  return node('stream:error', { code })
}

/** Name of the data centre in the stanzas `success` and `failure`. */
export const LOCATION = 'sim'

export function failure(reason: number, more: { code?: string | undefined; expire?: number | undefined } = {}): BinaryNode {
  return node('failure', { reason, location: LOCATION, ...more })
}
