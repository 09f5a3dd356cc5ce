/**
 * Tells whether the connection of a request has carried another one before. undici chooses the connection and says which one it took only
 * on a diagnostics channel, in the same turn as the start of the request.
 */
import { subscribe } from 'node:diagnostics_channel'

const used = new WeakSet<object>()
let waiting: ((isReused: boolean) => void) | undefined

subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { socket: object }
  waiting?.(used.has(socket))
  waiting = undefined
  used.add(socket)
})

/** Called when a request starts (`onRequestStart`); `tell` is called before its head is written. */
export function onConnectionChosen(tell: (isReused: boolean) => void): void {
  waiting = tell
}
