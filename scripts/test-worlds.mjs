/**
 * Lends worlds to test files. A world is a process with a simulated network and a service (test/harness/world-host.ts);
 * one test file uses it at a time. A file connects to the socket in `TEST_WORLDS` (test/harness/borrowed-place.ts), and
 * has its world emptied before it ends the connection. Then the next file gets the world. A world that was not emptied
 * is ended, and the next file gets a new one.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const HOST = '.built/program/world-host.js'
/** Time limit in ms for the end of a world's process. A healthy process ends much earlier. */
const END_DEADLINE = 10_000

async function startHost(kind) {
  const child = fork(HOST, [kind], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit').then(() => ({ error: 'it has ended' }))
  const next = () => Promise.race([once(child, 'message').then(([message]) => message), ended])
  const { ready, error } = await next()
  if (error !== undefined) throw new Error(`a world cannot be started: ${error}`)
  return {
    kind,
    ready,
    /** True if no file has used the world since it started or was last emptied. */
    isEmpty: true,
    /** Sends a task to the world's process. Resolves with `{ error }`, which is undefined if the task succeeded. */
    async ask(task) {
      this.isEmpty = false
      const answer = next()
      if (child.connected) child.send({ task })
      const { error } = await answer
      this.isEmpty = task === 'empty' && error === undefined
      return { error }
    },
    async end() {
      if (child.connected) child.disconnect()
      const timer = setTimeout(() => child.kill('SIGKILL'), END_DEADLINE)
      await ended
      clearTimeout(timer)
      rmSync(ready.dir, { recursive: true, force: true })
    },
  }
}

/**
 * Starts to lend worlds.
 *
 * @returns `address`, the value of `TEST_WORLDS`, and `close`, which ends all worlds
 */
export async function lendWorlds() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-worlds-'))
  const address = join(folder, 'lender')
  const idle = { traced: [], untraced: [] }
  const serving = new Map()
  /** Processes that are ending; the lender waits for them before it closes. */
  const ends = new Set()

  async function serve(socket) {
    const lines = createInterface({ input: socket })
    socket.once('close', () => lines.close())
    let host
    try {
      for await (const line of lines) {
        const { borrow, task } = JSON.parse(line)
        if (borrow !== undefined) {
          host = idle[borrow].pop() ?? (await startHost(borrow))
          host.isEmpty = false
          socket.write(`${JSON.stringify({ answer: host.ready })}\n`)
        } else {
          const { error } = await host.ask(task)
          if (task === 'empty' && error !== undefined) process.stderr.write(`A world could not be emptied: ${error}\n`)
          // If the world cannot be emptied, the test has not failed. So the error is not sent to the test file.
          socket.write(`${JSON.stringify({ error: task === 'empty' ? undefined : error })}\n`)
        }
      }
    } finally {
      if (host?.isEmpty) idle[host.kind].push(host)
      else if (host) {
        const end = host.end().finally(() => ends.delete(end))
        ends.add(end)
      }
    }
  }

  const server = createServer((socket) => {
    socket.on('error', () => {})
    const served = serve(socket)
      .catch((error) => {
        process.stderr.write(`${error.stack}\n`)
        socket.destroy()
      })
      .finally(() => serving.delete(socket))
    serving.set(socket, served)
  })
  server.listen(address)
  await once(server, 'listening')
  return {
    address,
    async close() {
      server.close()
      for (const socket of serving.keys()) socket.destroy()
      await Promise.all(serving.values())
      await Promise.all([...ends, ...Object.values(idle).flatMap((hosts) => hosts.map((host) => host.end()))])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
