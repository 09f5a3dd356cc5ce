/**
 * Replaces the library's reading of frames by ours (`frame-reader.ts`) after the handshake. The library still reads the server's hello, writes, and listens
 * to the events of its socket, which this file emits in the same way (Socket/socket.js, onMessageReceived).
 */
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { createStanzaEvents } from '../../wire/stanza-events.ts'
import { rawSocket } from '../end.ts'
import '../thread/curve.ts'
import { awaitReadKey } from '../thread/read-key.ts'
import { asError } from '../thread/rejections.ts'
import { escalateTrap } from '../thread/trap.ts'
import { createFrameReader, type FrameReader } from './frame-reader.ts'

export interface InboundDeps {
  /** Called once, when a frame could not be decrypted or processed. The socket must be ended, because it receives nothing further. */
  onStalled(error: Error): void
}

/**
 * Begins to read frames. Must be called right after the socket is created and after `guardListeners`, which still handles errors of the handshake.
 */
export function readInbound({ ws, ev, authState }: Pick<WASocket, 'ws' | 'ev' | 'authState'>, { onStalled }: InboundDeps): void {
  const events = createStanzaEvents()
  const handshake = ws.listeners('message') as ((bytes: Buffer) => void)[]
  let reader: FrameReader | undefined

  function emit(node: BinaryNode) {
    ws.emit('frame', node)
    for (const name of events.of(node)) ws.emit(name, node)
  }

  function broken(thrown: unknown) {
    const error = asError(thrown)
    escalateTrap(error)
    onStalled(error)
  }

  function busy(isBusy: boolean) {
    const raw = rawSocket({ ws })
    if (isBusy) raw?.pause()
    else raw?.resume()
  }

  for (const name of ws.eventNames()) events.listened(String(name))
  ws.on('newListener', (name) => events.listened(String(name)))
  ws.removeAllListeners('message')
  ws.on('message', (bytes: Buffer) => {
    if (reader) reader.push(bytes)
    else for (const listener of handshake) listener.call(ws, bytes)
  })
  const leave = awaitReadKey(authState.creds.noiseKey.private, (key) => {
    reader = createFrameReader(key, { onNode: emit, onBroken: broken, onBusy: busy })
  })
  ev.on('connection.update', ({ connection }) => {
    if (connection !== 'close') return
    leave()
    reader?.end()
  })
}
