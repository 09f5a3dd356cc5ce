import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createTrust, type Trust } from '../wire/certificate.ts'
import type { Network } from './model.ts'
import { restoreNetwork, type SavedNetwork, saveNetwork } from './state.ts'

/** Time after a change until it is written, in ms; a slow write makes the next one wait ten times as long as it took. */
const DEBOUNCE = 200
/** Time until a write that the disk refused is tried again, in ms. */
const RETRY = 1_000

/** Receives a sentence for the operator. */
export type Warn = (sentence: string) => void

export interface StateFile {
  /** Something changed. */
  due(): void
  /** Writes the latest state. A disk that refuses it is a warning: everything else has to stop all the same. */
  close(): Promise<void>
}

export interface OpenedState {
  /** The trust root of last time: clients that know it go on trusting this network. */
  trust: Trust | undefined
  /** Fills the network with what was kept, and keeps it from now on. */
  attach(network: Network): StateFile
}

async function read(path: string): Promise<SavedNetwork | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as SavedNetwork
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`${path} is not the state of a network`, { cause: error })
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

/** The disk or the system refused: anything else that a write throws is a defect. */
const isRefusal = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error

function keep(network: Network, path: string, warn: Warn): StateFile {
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let pause = DEBOUNCE
  let isRefused = false

  async function write() {
    const started = Date.now()
    // beside the old one and then in its place: a crash leaves one of the two whole
    const fresh = `${path}.new`
    try {
      await writeFile(fresh, JSON.stringify(saveNetwork(network)))
      await rename(fresh, path)
    } catch (error) {
      // half a state would take up the room that others wait for
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
    // a write that failed was noted; the next one is tried all the same
    writing = writing.then(write, write)
    network.run(writing.catch(refused))
  }

  function due(inMs = pause) {
    timer ??= setTimeout(begin, inMs)
  }

  return {
    due: () => due(),
    async close() {
      const last = writing.then(write, write)
      try {
        await last
      } catch (error) {
        if (!isRefusal(error)) throw error
        warn(`The sandbox network stopped without its latest state: ${path} cannot be written (${error.message}).`)
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
