/**
 * The end of a connection whose caller may still be sending. Closed at once, the system answers what still comes with a reset, and the caller loses
 * the answer together with the connection (RFC 9112, 9.6): many clients read only when they have sent everything. So the answer and our end of the
 * connection go out, and what still comes is read and dropped, within bounds.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { SECOND, steadyClock } from './domain/clock.ts'
import { dueAt, MOST_DROPPED } from './http/body.ts'

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

/** Drops what still comes until the caller closes, sends nothing for too long, or has sent too much. */
function drop(socket: Socket): void {
  const begun = steadyClock.now()
  const before = socket.bytesRead
  const look = setInterval(() => {
    const dropped = socket.bytesRead - before
    if (dropped > MOST_DROPPED || steadyClock.now() > dueAt(begun, dropped)) socket.destroy()
  }, SECOND)
  socket.once('close', () => clearInterval(look))
}

export interface Lingering {
  /** For the server: the listener, which is given no request of a connection that is about to close. */
  listener: RequestListener
  /** Ends a connection on which no request could be read, with the answer as it is written on the wire. */
  refuse(socket: Socket, answer: string): void
}

/** `attach` once the server is there. */
export function createLingering(listener: RequestListener): Lingering & { attach(server: Server): void } {
  const current = new WeakMap<Socket, Exchange>()
  const ending = new WeakSet<Socket>()

  function linger(socket: Socket, { request }: Exchange) {
    ending.add(socket)
    socket.end()
    drop(socket)
    // The body has come to its end. `close` follows `end`, and an abort too.
    request.once('close', () => socket.destroy())
  }

  return {
    listener(request, response) {
      if (ending.has(request.socket)) return void request.socket.destroy()
      current.set(request.socket, { request, response })
      listener(request, response)
    },

    refuse(socket, answer) {
      // What comes behind it is reported as unreadable, too.
      if (ending.has(socket)) return
      ending.add(socket)
      const response = current.get(socket)?.response
      const isAnswering = response?.headersSent && !response.writableFinished
      if (!socket.writable || isAnswering) return void socket.destroy()
      socket.end(answer)
      drop(socket)
    },

    attach(server) {
      server.on('connection', (socket: Socket) => {
        const close = socket.destroySoon.bind(socket)
        // Called by Node when the last answer of a connection has been made.
        socket.destroySoon = () => {
          const exchange = current.get(socket)
          if (exchange === undefined || exchange.request.complete || socket.destroyed) close()
          else linger(socket, exchange)
        }
      })
    },
  }
}
