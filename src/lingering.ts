/**
 * Closes a connection whose caller may still be sending. Many clients read the answer only after they have sent
 * everything, so later data is read and dropped, within limits. A reset would lose the answer (RFC 9112, 9.6).
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { SECOND, steadyClock } from './domain/clock.ts'
import { MOST_DROPPED } from './http/body.ts'
import { dueAt } from './http/steady-reader.ts'

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

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
  /** Passes requests on to the application, except those of a connection that is about to close. */
  listener: RequestListener
  refuse(socket: Socket, answer: string): void
  attach(server: Server, event: 'connection' | 'secureConnection'): void
}

export function createLingering(listener: RequestListener): Lingering {
  const current = new WeakMap<Socket, Exchange>()
  const ending = new WeakSet<Socket>()

  function linger(socket: Socket, { request }: Exchange) {
    ending.add(socket)
    socket.end()
    drop(socket)
    // The request emits `close` after the end of its body, and also if it is aborted.
    request.once('close', () => socket.destroy())
  }

  return {
    listener(request, response) {
      if (ending.has(request.socket)) return void request.socket.destroy()
      current.set(request.socket, { request, response })
      listener(request, response)
    },

    refuse(socket, answer) {
      // If the connection is already being closed, nothing is answered: the HTTP parser may report the data that still
      // arrives as another unreadable request.
      if (ending.has(socket)) return
      ending.add(socket)
      const response = current.get(socket)?.response
      const isAnswering = response?.headersSent && !response.writableFinished
      if (!socket.writable || isAnswering) return void socket.destroy()
      socket.end(answer)
      drop(socket)
    },

    attach(server, event) {
      server.on(event, (socket: Socket) => {
        const close = socket.destroySoon.bind(socket)
        // Node calls this method after the last answer of a connection.
        socket.destroySoon = () => {
          const exchange = current.get(socket)
          if (exchange === undefined || exchange.request.complete || socket.destroyed) close()
          else linger(socket, exchange)
        }
      })
    },
  }
}
