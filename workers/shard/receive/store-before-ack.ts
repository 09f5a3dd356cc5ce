/**
 * Holds a stanza back from the library until what it means is on disk. The library confirms notifications, calls and channel posts as
 * soon as it has read them, and the network then never sends them again; so the event of such a stanza is committed first, and only then
 * does the library hear of it (INBOUND.md, 5). Stanzas of one kind stay in line; those that mean nothing to us pass at once when the line
 * is empty.
 */
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'

type Listener = (node: BinaryNode) => void

export interface Gate {
  /** Event of the socket, `CB:call`. */
  name: string
  /** Undefined: not ours. Rejects, or throws, when it could not be written: the stanza is then not confirmed, and comes again. */
  take(node: BinaryNode): Promise<void> | undefined
  /**
   * Each is taken when the one before is written: events come in the order of the stanzas. Without it work begins at once and commits are
   * shared, and only the order in which the library hears is kept: for what has an order of its own.
   */
  inTurn: boolean
  /** A stanza that could not be written down: nothing behind it may be confirmed either. */
  onFailure(error: unknown): void
}

/** Put up right after the socket is made, when only the library listens. */
export function raiseGate({ ws }: WASocket, { name, take, inTurn, onFailure }: Gate): void {
  const listeners = ws.listeners(name) as Listener[]
  ws.removeAllListeners(name)
  let waiting = 0
  let line: Promise<void> = Promise.resolve()
  let isShut = false

  const pass = (node: BinaryNode) => {
    for (const listener of listeners) listener.call(ws, node)
  }

  /** Whoever throws at once must not reach the library's emitter, which would lose the stanza and all that the frame means to others. */
  function begun(node: BinaryNode): Promise<void> | undefined {
    try {
      return take(node)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  ws.on(name, (node: BinaryNode) => {
    if (isShut) return
    const isFirst = waiting === 0
    const taken = isFirst || !inTurn ? begun(node) : undefined
    if (taken === undefined && isFirst) return pass(node)
    taken?.catch(() => {})
    waiting++
    line = line.then(async () => {
      try {
        await (isFirst || !inTurn ? taken : isShut ? undefined : begun(node))
        if (!isShut) pass(node)
      } catch (error) {
        isShut = true
        onFailure(error)
      } finally {
        waiting--
      }
    })
  })
}
