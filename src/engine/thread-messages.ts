/**
 * What crosses between main and the thread of a shard: lists of messages, one for all that are sent within a turn of the event loop. To post a
 * message wakes the other thread, which costs more than the message. The order in which they were sent stays.
 */
import type { MessagePort, TransferListItem } from 'node:worker_threads'
import { Failure } from '../domain/failures.ts'
import type { EngineEvent, Result, ShardNeed } from './engine.ts'

export type ToThread = { id: number; command: unknown }
export type FromThread = { id: number; result: Result } | { said: EngineEvent | ShardNeed }

/** Of one thread run: how many states it has announced, counted before each is sent, so that main knows whether it has heard all of them. */
export type Announced = Int32Array<SharedArrayBuffer>

interface Sent<M> {
  message: M
  transfer: readonly TransferListItem[]
}

/** `onRefused`: the message is no plain data, and did not leave. */
export function sendInLists<M>(port: Pick<MessagePort, 'postMessage'>, onRefused: (message: M, error: unknown) => void) {
  let waiting: Sent<M>[] = []
  let isDue = false

  function post(some: readonly Sent<M>[]) {
    try {
      port.postMessage(
        some.map(({ message }) => message),
        some.flatMap(({ transfer }) => transfer),
      )
    } catch (error) {
      if (some.length === 1) return onRefused(some[0]!.message, error)
      // Nothing of it has left: the others are not to suffer from the one that cannot be copied.
      for (const each of some) post([each])
    }
  }

  function flush() {
    isDue = false
    const some = waiting
    waiting = []
    if (some.length > 0) post(some)
  }

  return {
    send(message: M, transfer: readonly TransferListItem[] = []) {
      waiting.push({ message, transfer })
      if (isDue) return
      isDue = true
      setImmediate(flush)
    },
    /** All that was sent leaves now. */
    flush,
  }
}

/**
 * The thread's side: answers commands, and tells main what happens in between. A state leaves at once: whoever learns of it on another way, by a
 * webhook say, may ask main about it next.
 */
export function answerMain(
  port: MessagePort,
  announced: Announced,
): { say(event: EngineEvent | ShardNeed): void; serve(run: (command: unknown) => Promise<Result>): void } {
  const internal: Result = { err: new Failure('internal').toData() }
  const out = sendInLists<FromThread>(port, (message, error) => {
    if (!('id' in message)) throw error
    out.send({ id: message.id, result: internal })
  })
  return {
    say(said) {
      if (said.type !== 'state') return out.send({ said })
      Atomics.add(announced, 0, 1)
      out.send({ said })
      out.flush()
    },
    serve(run) {
      port.on('message', (commands: readonly ToThread[]) => {
        for (const { id, command } of commands)
          run(command).then(
            (result) => out.send({ id, result }),
            () => out.send({ id, result: internal }),
          )
      })
    },
  }
}
