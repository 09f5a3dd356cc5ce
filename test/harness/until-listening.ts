import type { ChildProcess } from 'node:child_process'
import { connect } from 'node:net'

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

/** Waits until a program listens at this port. Rejects if the program exits by itself before. */
export async function untilListening(port: number, child: ChildProcess): Promise<void> {
  while (!(await isListening(port))) {
    const how = child.exitCode ?? child.signalCode
    if (how !== null) throw new Error(`${child.spawnfile} ended with ${how}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
