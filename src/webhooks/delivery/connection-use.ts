/**
 * Detects whether the connection of a request was used before. undici reports this only on a diagnostics channel, in
 * the turn in which the request starts.
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

/**
 * Calls `tell` when the connection of the request is chosen, before the head of the request is written. Must be called
 * in `onRequestStart`.
 */
export function onConnectionChosen(tell: (isReused: boolean) => void): void {
  waiting = tell
}
