import { once } from 'node:events'
import * as constants from '@whiskeysockets/baileys/lib/WABinary/constants.js'
import { type BinaryNode, decodeDecompressedBinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys/lib/WABinary/index.js'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { WebSocket } from 'ws'
import { createArrivals } from '../harness/arrivals.ts'
import { agree, INTRO, newPair, open, type Pair, pairOf, rawOf, seal, symmetric } from './noise-state.ts'

/**
 * A minimal client, which sends no stanza by itself. `send` sends a stanza exactly as the test writes it. The client
 * uses only the stanza codec and the protobuf definitions of the library.
 */
export interface RawClient {
  readonly handshake: 'XX' | 'IK' | 'XXfallback'
  /** Static key of the server. The client can use it for its next login. */
  readonly serverKey: Buffer
  readonly heard: readonly BinaryNode[]
  send(item: BinaryNode): void
  /** Resolves with the first stanza that fits. The stanza may arrive before or after this call. */
  until(fits: (item: BinaryNode) => boolean, what: string): Promise<BinaryNode>
  /**
   * Sends a query and waits for its answer. When the answer arrives, all stanzas that the server sent before it have
   * arrived, too.
   */
  query(item: BinaryNode): Promise<BinaryNode>
  /** Resolves with the close code of the WebSocket. 1006 means that there was no close frame. */
  readonly ended: Promise<number>
  close(): Promise<void>
}

export interface RawLogin {
  url: string
  /** Private Noise key of the linked device, 32 bytes. */
  secret: Uint8Array
  payload: proto.IClientPayload
  /**
   * Key of the server that the client knows from an earlier login. If it is given, the client sends its login in the
   * first message of the handshake.
   */
  serverKey?: Uint8Array
}

const PATIENCE = 20_000
const NOTHING = Buffer.alloc(0)

export async function connectRaw({ url, secret, payload, serverKey }: RawLogin): Promise<RawClient> {
  const socket = new WebSocket(url)
  // The tests break connections, so errors are expected here. `ended` reports them.
  socket.on('error', () => {})
  const own = pairOf(secret)
  const said = proto.ClientPayload.encode(proto.ClientPayload.fromObject(payload)).finish()
  const frames = framesOf(socket)
  await once(socket, 'open')

  const hello = clientHello(own, said, serverKey)
  frames.write(proto.HandshakeMessage.encode({ clientHello: hello.message }).finish(), INTRO)
  const { serverHello } = proto.HandshakeMessage.decode(await frames.next())
  const { ephemeral, static: sealedKey, payload: certificate } = serverHello ?? {}
  if (!ephemeral || !certificate) throw new Error('the server sent no hello')
  let state = hello.state
  let known: Uint8Array | undefined = serverKey
  const handshake = serverKey ? (sealedKey?.length ? 'XXfallback' : 'IK') : 'XX'
  if (handshake === 'IK') {
    state.mix(ephemeral)
    state.mixKey(agree(hello.ephemeral, ephemeral))
    state.mixKey(agree(own, ephemeral))
    state.decrypt(certificate)
  } else {
    if (handshake === 'XXfallback') {
      state = symmetric('Noise_XXfallback_25519_AESGCM_SHA256')
      state.mix(rawOf(hello.ephemeral.publicKey))
    }
    state.mix(ephemeral)
    state.mixKey(agree(hello.ephemeral, ephemeral))
    known = state.decrypt(sealedKey!)
    state.mixKey(agree(hello.ephemeral, known))
    state.decrypt(certificate)
    const sealed = state.encrypt(rawOf(own.publicKey))
    state.mixKey(agree(own, ephemeral))
    const clientFinish = { static: sealed, payload: state.encrypt(said) }
    frames.write(proto.HandshakeMessage.encode({ clientFinish }).finish())
  }
  const keys = state.split()
  return speaking(socket, frames, keys.subarray(0, 32), keys.subarray(32), handshake, Buffer.from(known!))
}

function speaking(
  socket: WebSocket,
  frames: ReturnType<typeof framesOf>,
  writeKey: Buffer,
  readKey: Buffer,
  handshake: RawClient['handshake'],
  serverKey: Buffer,
): RawClient {
  let [read, written, ids] = [0, 0, 0]
  const heard = createArrivals<BinaryNode>((all) => all.map(({ tag }) => tag).join(', '))
  frames.onFrame((bytes) => {
    const plain = open(readKey, read++, bytes, NOTHING)
    // The server never compresses a frame, so no decompression is needed here.
    heard.add(decodeDecompressedBinaryNode(plain.subarray(1), constants))
  })
  const send = (item: BinaryNode) => frames.write(seal(writeKey, written++, encodeBinaryNode(item), NOTHING))

  const until = (fits: (item: BinaryNode) => boolean, what: string) => heard.waitFor(what, fits, PATIENCE)

  return {
    handshake,
    serverKey,
    heard: heard.items,
    ended: new Promise((resolve) => socket.once('close', resolve)),
    send,
    until,
    query(item) {
      const id = `RAW${ids++}`
      send({ ...item, attrs: { to: '@s.whatsapp.net', id, ...item.attrs } })
      return until(({ tag, attrs }) => tag === 'iq' && attrs.id === id, `the answer to ${id}`)
    },
    async close() {
      if (socket.readyState === WebSocket.CLOSED) return
      socket.close()
      await once(socket, 'close')
    },
  }
}

function clientHello(own: Pair, said: Uint8Array, serverKey: Uint8Array | undefined) {
  const ephemeral = newPair()
  const first = rawOf(ephemeral.publicKey)
  if (!serverKey) {
    const state = symmetric('Noise_XX_25519_AESGCM_SHA256')
    state.mix(first)
    return { state, ephemeral, message: { ephemeral: first } }
  }
  const state = symmetric('Noise_IK_25519_AESGCM_SHA256')
  state.mix(serverKey)
  state.mix(first)
  state.mixKey(agree(ephemeral, serverKey))
  const sealedKey = state.encrypt(rawOf(own.publicKey))
  state.mixKey(agree(own, serverKey))
  return { state, ephemeral, message: { ephemeral: first, static: sealedKey, payload: state.encrypt(said) } }
}

/** Returns a reader of frames. Each frame, in both directions, begins with its length in three bytes. */
function framesOf(socket: WebSocket) {
  let rest = Buffer.alloc(0)
  let take: ((bytes: Buffer) => void) | undefined
  const early: Buffer[] = []
  socket.on('message', (data: Buffer) => {
    rest = Buffer.concat([rest, data])
    while (rest.length >= 3 && rest.length >= 3 + rest.readUIntBE(0, 3)) {
      const end = 3 + rest.readUIntBE(0, 3)
      const bytes = Buffer.from(rest.subarray(3, end))
      rest = rest.subarray(end)
      if (take) take(bytes)
      else early.push(bytes)
    }
  })
  return {
    write(bytes: Uint8Array, intro: Uint8Array = NOTHING) {
      const length = Buffer.alloc(3)
      length.writeUIntBE(bytes.length, 0, 3)
      socket.send(Buffer.concat([intro, length, bytes]))
    },
    next: () =>
      new Promise<Buffer>((resolve, reject) => {
        const first = early.shift()
        if (first) return resolve(first)
        const closed = () => reject(new Error('the connection was closed during the handshake'))
        socket.once('close', closed)
        take = (bytes) => {
          take = undefined
          socket.off('close', closed)
          resolve(bytes)
        }
      }),
    onFrame(job: (bytes: Buffer) => void) {
      take = job
      for (const bytes of early.splice(0)) job(bytes)
    },
  }
}
