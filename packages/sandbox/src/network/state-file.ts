import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createTrust, type Trust } from '../wire/trust.ts'
import type { Network } from './model.ts'
import { restoreNetwork, type SavedNetwork, saveNetwork } from './state.ts'

/** Time in ms between a change and its write. After a slow write, the next one waits ten times as long as that write took. */
const DEBOUNCE = 200
/** Time in ms until a failed write is retried. */
const RETRY = 1_000

/** Function that receives a message for the operator. */
export type Warn = (sentence: string) => void

export interface StateFile {
  /** Records that the state has changed and must be written. */
  due(): void
  /**
   * Writes the latest state. Later changes are not stored. If the disk refuses the write, this only gives a warning, because the other parts must be
   * stopped too.
   */
  close(): Promise<void>
}

export interface OpenedState {
  /** The keys of the certificates of the last run. Clients that trust them still trust this network. */
  trust: Trust | undefined
  /** Loads the stored state into the network, and stores the network's changes from now on. */
  attach(network: Network): StateFile
}

async function read(path: string): Promise<SavedNetwork | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as SavedNetwork
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`${path} does not contain the state of a simulated network`, { cause: error })
  }
}

export async function openStateFile(path: string, warn: Warn): Promise<OpenedState> {
  const saved = await read(path)
  return {
    trust: saved && createTrust(saved.trust),
    attach(network) {
      if (saved) restoreNetwork(network, saved)
      return keep(network, path, warn)
    },
  }
}

/** Whether the disk or the operating system refused the write. Every other error is a defect. */
const isRefusal = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error

function keep(network: Network, path: string, warn: Warn): StateFile {
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let pause = DEBOUNCE
  let isRefused = false
  let isClosed = false

  async function write() {
    const started = Date.now()
    // The state is written to a new file that is then renamed over the old one. So after a crash, one of the two files
    // is complete.
    const fresh = `${path}.new`
    try {
      await writeFile(fresh, JSON.stringify(saveNetwork(network)))
      await rename(fresh, path)
    } catch (error) {
      // An incomplete state would use disk space that other data need.
      await rm(fresh, { force: true }).catch(() => undefined)
      throw error
    }
    isRefused = false
    pause = Math.max(DEBOUNCE, 10 * (Date.now() - started))
  }

  function refused(error: unknown) {
    if (!isRefusal(error)) throw error
    if (!isRefused)
      warn(
        `The state of the sandbox network stays in memory until the disk takes it: ${path} cannot be written (${error.message}).`,
      )
    isRefused = true
    due(RETRY)
  }

  function begin() {
    timer = undefined
    // A failed write has been reported. The next write is tried nevertheless.
    writing = writing.then(write, write)
    network.run(writing.catch(refused))
  }

  /**
   * Schedules a write. After the end, a client whose connection is being cut may still cause changes. They are not written, because a write that the
   * disk refuses would be repeated forever.
   */
  function due(inMs = pause) {
    if (!isClosed) timer ??= setTimeout(begin, inMs)
  }

  return {
    due: () => due(),
    async close() {
      isClosed = true
      clearTimeout(timer)
      try {
        await writing.then(write, write)
      } catch (error) {
        if (!isRefusal(error)) throw error
        warn(`The sandbox network stopped without its latest state: ${path} cannot be written (${error.message}).`)
      }
    },
  }
}
