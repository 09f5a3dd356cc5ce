import { readFile, rename, writeFile } from 'node:fs/promises'
import { createTrust, type Trust } from '../wire/certificate.ts'
import type { Network } from './model.ts'
import { restoreNetwork, type SavedNetwork, saveNetwork } from './state.ts'

/** Time after a change until it is written, in ms; a slow write makes the next one wait ten times as long as it took. */
const DEBOUNCE = 200

export interface StateFile {
  /** Something changed. */
  due(): void
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

export async function openStateFile(path: string): Promise<OpenedState> {
  const saved = await read(path)
  return {
    trust: saved && createTrust(saved.trust),
    attach(network) {
      if (saved) restoreNetwork(network, saved)
      return keep(network, path)
    },
  }
}

function keep(network: Network, path: string): StateFile {
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let pause = DEBOUNCE

  async function write() {
    const started = Date.now()
    // beside the old one and then in its place: a crash leaves one of the two whole
    await writeFile(`${path}.new`, JSON.stringify(saveNetwork(network)))
    await rename(`${path}.new`, path)
    pause = Math.max(DEBOUNCE, 10 * (Date.now() - started))
  }

  function begin() {
    timer = undefined
    // a write that failed was noted; the next one is tried all the same
    writing = writing.then(write, write)
    network.run(writing)
  }

  return {
    due() {
      timer ??= setTimeout(begin, pause)
    },
    async close() {
      clearTimeout(timer)
      await writing.then(write, write)
    },
  }
}
