import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createTrust, type Trust } from '../wire/trust.ts'
import type { Network } from './model.ts'
import { restoreNetwork, type SavedNetwork, saveNetwork } from './state.ts'

/** Time from a change until it is written, in ms; after a slow write the next one waits ten times its duration. */
const DEBOUNCE = 200
/** Time until a failed write is tried again, in ms. */
const RETRY = 1_000

/** Receives a message for the operator. */
export type Warn = (sentence: string) => void

export interface StateFile {
  /** Notes that the state was changed. */
  due(): void
  /** Writes the latest state; later changes are not stored. A refusal of the disk is only a warning, because everything else has to stop as well. */
  close(): Promise<void>
}

export interface OpenedState {
  /** The trust root of the last run: clients that know it still trust this network. */
  trust: Trust | undefined
  /** Fills the network with the stored state, and stores its changes from now on. */
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

/** Whether the disk or the system refused; any other error of a write is a defect. */
const isRefusal = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error

function keep(network: Network, path: string, warn: Warn): StateFile {
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let pause = DEBOUNCE
  let isRefused = false
  let isClosed = false

  async function write() {
    const started = Date.now()
    // The state is written beside the old file and then renamed over it: after a crash one of the two is complete.
    const fresh = `${path}.new`
    try {
      await writeFile(fresh, JSON.stringify(saveNetwork(network)))
      await rename(fresh, path)
    } catch (error) {
      // An incomplete state would take disk space that others need.
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
    // A failed write was noted; the next one is tried nevertheless.
    writing = writing.then(write, write)
    network.run(writing.catch(refused))
  }

  /**
   * Schedules a write. A client whose connection was cut by the stop can still cause changes: a write of those could be
   * refused, and retried forever.
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
