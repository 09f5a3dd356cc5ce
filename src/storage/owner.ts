/**
 * Ensures that only one service uses a store: two would log in with the same accounts and send the same queued
 * messages.
 *
 * The owner listens on a Unix socket, whose name is in the store. A starting process connects to it: an answer means
 * that the owner runs, a refusal that it was killed. The name changes in a guarded commit, so if two processes start at
 * once, only one succeeds.
 */
import { randomBytes } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { BRAND } from '../domain/brand.ts'
import type { StateStore } from './contract.ts'
import { keys } from './record-keys.ts'

/** Maximum length of a path in bytes, with the final zero. The limit is 108 on Linux and 104 on macOS. */
const MAX_SOCKET_PATH = 104

type Owned = Pick<StateStore, 'get' | 'commit'> & { dir: string }

export interface Place {
  path(name: string): string
  leave(): Promise<void>
}

/**
 * Makes this process the owner of the store; rejects if another process owns it. The returned function must be called
 * after the store is closed. `onVisit` is called when a command has written something to the store, or when a second
 * service starts.
 */
export async function ownStore(store: Owned, onVisit: () => void = () => {}): Promise<() => Promise<void>> {
  const name = `owner-${randomBytes(8).toString('hex')}`
  const place = await placeOf(store.dir, name)
  const server = createServer((asker) => {
    asker.on('error', () => {})
    asker.destroy()
    onVisit()
  })
  const giveBack = async () => {
    // Closing the server also removes the file of the socket.
    await new Promise((resolve) => server.close(resolve))
    await place.leave()
  }
  try {
    await listen(server, place.path(name), store.dir)
    await take(store, place, name)
  } catch (error) {
    await giveBack()
    throw error
  }
  return giveBack
}

/**
 * Notifies the service that owns the store that a command has written to it. Resolves with false if no service runs on
 * it.
 */
export async function visitOwner(store: Omit<Owned, 'commit'>): Promise<boolean> {
  const name = await store.get(keys.owner)
  if (name === undefined) return false
  const owner = Buffer.from(name).toString()
  const place = await placeOf(store.dir, owner)
  try {
    return await answers(place.path(owner))
  } finally {
    await place.leave()
  }
}

async function take(store: Owned, place: Place, name: string): Promise<void> {
  for (;;) {
    const before = await store.get(keys.owner)
    const other = before === undefined ? undefined : place.path(Buffer.from(before).toString())
    if (other !== undefined && (await answers(other)))
      throw new Error(
        `Another ${BRAND} runs on the store in ${store.dir}; stop that one, or give this one a folder of its own (SVC_DATA_DIR).`,
      )
    const guard = { key: keys.owner, equals: before ?? null }
    if (!(await store.commit({ guard, ops: [[keys.owner, Buffer.from(name)]] }))) continue
    // Each socket name is used only once, so no other process listens there.
    if (other !== undefined) await rm(other, { force: true })
    return
  }
}

/**
 * Returns how to reach sockets in the folder. On Linux, a folder with a long path is reached through its open file
 * descriptor.
 */
export async function placeOf(dir: string, name: string): Promise<Place> {
  const isShort = Buffer.byteLength(join(dir, name)) < MAX_SOCKET_PATH
  if (process.platform === 'win32') return { path: (each) => `\\\\.\\pipe\\${BRAND}-${each}`, leave: async () => {} }
  if (isShort) return { path: (each) => join(dir, each), leave: async () => {} }
  if (process.platform !== 'linux')
    throw new Error(`The path of the store, ${dir}, is too long for a socket; choose a shorter one.`)
  const folder = await open(dir, 'r')
  return { path: (each) => `/proc/self/fd/${folder.fd}/${each}`, leave: () => folder.close() }
}

function listen(server: Server, path: string, dir: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new Error(
          `The service cannot create a socket in the folder ${dir}, which it needs to refuse a second ${BRAND} there; use a local disk.`,
          {
            cause,
          },
        ),
      ),
    )
    server.listen(path, () => {
      // A later error concerns a single connection, whose process gets an error of its own.
      server.removeAllListeners('error').on('error', () => {})
      server.unref()
      resolve()
    })
  })
}

const DEAD = new Set(['ENOENT', 'ECONNREFUSED'])

function answers(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const asker = connect(path, () => {
      asker.destroy()
      resolve(true)
    })
    asker.on('error', (error: NodeJS.ErrnoException) => {
      if (DEAD.has(error.code ?? '')) resolve(false)
      // EAGAIN means that the accept queue is full, so an owner exists.
      else if (error.code === 'EAGAIN') resolve(true)
      else
        reject(
          new Error(`The service cannot determine whether another ${BRAND} runs on the same store: ${error.message}.`, {
            cause: error,
          }),
        )
    })
  })
}
