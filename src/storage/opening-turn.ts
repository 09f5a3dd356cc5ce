/**
 * Lets the processes that use one folder open lmdb one after the other, and only while none of them commits.
 *
 * An opening process overwrites lmdb's number of the last commit, which all processes share, with the number that it
 * has read a moment before (`mdb_env_open2` in lmdb 3.5.6). If another process commits in between, two commits get the
 * same number: acknowledged records are lost, and the file can be damaged.
 *
 * Each process listens on a Unix socket in the folder before it opens lmdb, and asks the others that listen there. A
 * process that has lmdb open holds the write lock while the asking process opens it. Of two processes that begin at the
 * same moment, the one with the lower name is first.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, readdir, rename, rm, stat } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { orLate } from '../lib/deadline.ts'
import { deferred } from '../lib/deferred.ts'
import { type Place, placeOf } from './owner.ts'
import { PRIVATE_FILE } from './private.ts'

const PREFIX = 'opening-'
/** Id of this process. Its threads share one environment of lmdb; only its first opening writes the shared number. */
const PROCESS = randomBytes(4).toString('hex')
/** Maximum time in ms for which a process holds its commits while another one opens lmdb. */
const MAX_HOLD = 20_000
/** Time in ms after which an opening process gives up because another process does not answer. */
const MAX_WAIT = 30_000
/** Pause in ms before a process is asked again. */
const ASK_AGAIN = 20

/** Begins to hold the commits of all processes. Resolves with a function that lets them continue. */
export type HoldCommits = () => Promise<() => void>

export interface OpeningTurn {
  /** Must be called when lmdb is open. The other processes may then commit again. */
  opened(): void
  /**
   * Must be called when the store is open. From then on, this process holds its commits while another process opens
   * lmdb.
   */
  holdFor(hold: HoldCommits): void
  /** Ends the present hold of commits, if there is one. Call it before lmdb is closed, and `end` after it. */
  stopHolding(): Promise<void>
  end(): Promise<void>
}

const NO_TURN: OpeningTurn = { opened() {}, holdFor() {}, async stopHolding() {}, async end() {} }

/** Resolves when this process may open lmdb in this folder. Rejects with a sentence if another one does not answer. */
export async function takeOpeningTurn(dir: string, maxWait = MAX_WAIT): Promise<OpeningTurn> {
  // Windows has no sockets in folders, so commands must not run beside a service there.
  if (process.platform === 'win32') return NO_TURN
  // The name is short, because the whole path of a socket must have fewer than 104 bytes on macOS.
  const name = `${PREFIX}${process.pid}-${PROCESS}-${randomBytes(3).toString('hex')}`
  const place = await placeOf(dir, `.${name}`)
  const isOpen = deferred<HoldCommits>()
  const peers = new Set<Socket>()
  /**
   * One promise for each process that opens lmdb before this one does. It resolves when the connection of that process
   * has ended.
   */
  const before = new Set<Promise<void>>()
  let isWaiting = true
  let isEnding = false
  let held: Promise<void> = Promise.resolve()

  async function answer(peer: Socket): Promise<void> {
    peers.add(peer)
    const closed = new Promise<void>((resolve) => peer.once('close', () => resolve())).then(() => void peers.delete(peer))
    const asker = await lineOf(peer)
    if (asker === undefined) return
    if (isWaiting && asker < name) {
      const left = closed.then(() => void before.delete(left))
      before.add(left)
      peer.write('first\n')
      return
    }
    const hold = await isOpen.promise
    // If the hold fails, the connection ends, and the process that wants to open lmdb asks again.
    held = held.then(() => holdWhileOpening(peer, asker, closed, hold)).catch(() => void peer.destroy())
  }

  async function holdWhileOpening(peer: Socket, asker: string, closed: Promise<void>, hold: HoldCommits): Promise<void> {
    if (peer.destroyed || isEnding) return
    // A process that has lmdb open can open it again without harm.
    const release = asker.split('-')[2] === PROCESS ? () => {} : await hold()
    try {
      peer.write('held\n')
      await Promise.race([closed, pause(MAX_HOLD, undefined, { ref: false })])
    } finally {
      release()
      peer.destroy()
    }
  }

  const server = createServer((peer) => {
    peer.on('error', () => {})
    answer(peer).catch(() => peer.destroy())
  })
  const asked = new Set<Socket>()
  function done() {
    for (const socket of asked) socket.destroy()
    asked.clear()
  }
  async function stopHolding(): Promise<void> {
    isEnding = true
    for (const peer of peers) peer.destroy()
    await held
  }
  async function end(): Promise<void> {
    done()
    await stopHolding()
    await new Promise((resolve) => server.close(resolve))
    await rm(place.path(name), { force: true })
    await place.leave()
  }

  async function askAll(deadline: number): Promise<boolean> {
    for (const other of await othersIn(dir, name)) {
      if ((await ask(place, other, name, asked, deadline)) === 'held') return true
    }
    return false
  }

  try {
    await listenAt(server, place, name, dir)
    const deadline = Date.now() + maxWait
    // If no process holds its commits, the processes that this one let go first may commit as soon as they have opened
    // lmdb. So this process waits for them and asks again.
    while (!(await askAll(deadline)) && before.size > 0) {
      done()
      await orLate(Promise.all(before), deadline - Date.now(), () => {
        throw new Error('Other processes have opened the store for too long, so this one cannot open it safely; try again later.')
      })
    }
  } catch (error) {
    await end()
    throw error
  }
  isWaiting = false
  return { opened: done, holdFor: isOpen.resolve, stopHolding, end }
}

const othersIn = async (dir: string, own: string): Promise<string[]> =>
  (await readdir(dir)).filter((name) => name.startsWith(PREFIX) && name !== own)

/** Returns the first line of the connection, or undefined if the connection ends before. */
async function lineOf(socket: Socket): Promise<string | undefined> {
  const lines = createInterface({ input: socket })
  const line = await Promise.race([once(lines, 'line'), once(lines, 'close')])
  return line[0] as string | undefined
}

type Answer = 'first' | 'held' | 'gone'

async function ask(place: Place, other: string, own: string, asked: Set<Socket>, deadline: number): Promise<Answer> {
  const path = place.path(other)
  for (;;) {
    const socket = connect(path)
    asked.add(socket)
    const failed = new Promise<never>((_, reject) => socket.on('error', reject))
    const late = setTimeout(() => socket.destroy(new Error(notAnswered(other))), Math.max(deadline - Date.now(), 1))
    try {
      await Promise.race([once(socket, 'connect'), failed])
      socket.write(`${own}\n`)
      const said = await Promise.race([lineOf(socket), failed])
      if (said !== undefined) return said as Answer
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code === 'ECONNREFUSED') await rm(path, { force: true })
      if (code === 'ECONNREFUSED' || code === 'ENOENT') return 'gone'
      if (code === 'EACCES') throw new Error(notAllowed(path), { cause: error })
      if (!AGAIN.has(code)) throw error
    } finally {
      clearTimeout(late)
    }
    // The connection ended without an answer. That does not show that the process has ended.
    asked.delete(socket)
    await pause(ASK_AGAIN)
  }
}

/**
 * Error codes after which the same process is asked again: its queue of connections is full, or the connection ended.
 */
const AGAIN: ReadonlySet<string> = new Set(['EAGAIN', 'ECONNRESET', 'EPIPE'])

const notAllowed = (path: string) =>
  `The socket ${path} belongs to a process of another user, or was left by one, so the store cannot be opened; end that process, or remove the socket if there is none.`

const notAnswered = (name: string) =>
  `The process ${name.split('-')[1]} has the store open and does not answer, so this one cannot open it safely; end that process, or try again later.`

/**
 * Listens at a socket. The socket gets its final name only when it listens, so a refused connection means that its
 * process has ended.
 */
async function listenAt(server: Server, place: Place, name: string, dir: string): Promise<void> {
  try {
    const path = place.path(`.${name}`)
    server.listen(path)
    await once(server, 'listening')
    await chmod(path, PRIVATE_FILE)
    // The service must reach the socket of a command that root has started, so the socket gets the owner of the folder.
    if (process.getuid?.() === 0) {
      const { uid, gid } = await stat(dir)
      await chown(path, uid, gid)
    }
    await rename(place.path(`.${name}`), place.path(name))
  } catch (cause) {
    throw new Error(`The store in ${dir} cannot be opened, because no socket can be created there; use a local disk.`, { cause })
  }
  server.on('error', () => {}).unref()
}
