/**
 * Messages between the main thread and a shard thread. Messages of one turn of the event loop are sent as one list,
 * because waking the other thread costs more than a message. Only a state does not wait for the end of the turn.
 */
import type { MessagePort, TransferListItem } from 'node:worker_threads'
import { Failure } from '../domain/failures.ts'
import type { EngineEvent, Result, ShardNeed } from './engine.ts'

export type ToThread = { id: number; command: unknown }
export type FromThread = { id: number; result: Result } | { said: EngineEvent | ShardNeed }

/**
 * Number of states that a thread has announced. It is incremented before a state is sent, so that the main thread knows
 * whether it has received all states.
 */
export type Announced = Int32Array<SharedArrayBuffer>

interface Sent<M> {
  message: M
  transfer: readonly TransferListItem[]
}

/**
 * Collects messages, and sends them as one list. `onRefused` is called for a message that is not plain data and
 * therefore was not sent.
 */
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
      // A message could not be copied, so nothing was sent. If the messages are sent separately, the others arrive.
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
    flush,
  }
}

/**
 * Answers commands, and reports events to the main thread. A state is sent immediately, because a program that learns
 * the state in another way may query the main thread next.
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
