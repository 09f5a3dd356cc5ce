import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createTrust, type Trust } from '../wire/trust.ts'
import type { Network } from './model.ts'
import { restoreNetwork, type SavedNetwork, saveNetwork } from './state.ts'

const DEBOUNCE = 200
const RETRY = 1_000

export type Warn = (sentence: string) => void

export interface StateFile {
  due(): void
  /** Writes the latest state, and stores no later changes. If the disk refuses the write, this is only a warning. */
  close(): Promise<void>
}

export interface OpenedState {
  trust: Trust | undefined
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

/** Whether the disk or the operating system refused the write. Any other error counts as a defect. */
const isRefusal = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error

function keep(network: Network, path: string, warn: Warn): StateFile {
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let pause = DEBOUNCE
  let isRefused = false
  let isClosed = false

  async function write() {
    const started = Date.now()
    // The new file is renamed over the old one, so that after a crash one of the two is complete.
    const fresh = `${path}.new`
    try {
      await writeFile(fresh, JSON.stringify(saveNetwork(network)))
      await rename(fresh, path)
    } catch (error) {
      // The incomplete file is removed, because it would use disk space that other data need.
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
    // If the previous write failed, this was already reported, and the next write is tried nevertheless.
    writing = writing.then(write, write)
    network.run(writing.catch(refused))
  }

  /**
   * Schedules a write. After `close`, nothing is scheduled, because a write that the disk refuses would be repeated
   * forever.
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
