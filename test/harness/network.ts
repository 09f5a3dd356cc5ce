/**
 * Starts the simulated network for tests. If `SVC_SANDBOX_TRACE` is a folder, every network writes the stanzas that it
 * sent and received to a file there. Stanzas of an unmodified library go to a subfolder, because the gateway is not
 * responsible for them.
 */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Simulator, SimulatorOptions } from '../../workers/simulator/index.ts'
import type { NetworkThread } from '../../workers/simulator/network-thread.ts'
import type { SandboxNetworkOptions, SandboxNetworkReady } from '../../workers/simulator/sandbox-start.ts'

export type { NetworkThread, SandboxNetworkReady, Simulator }

const trace = process.env.SVC_SANDBOX_TRACE || undefined

export function libraryTrace(): string | undefined {
  if (trace === undefined || !statSync(trace, { throwIfNoEntry: false })?.isDirectory()) return trace
  const folder = join(trace, 'library')
  mkdirSync(folder, { recursive: true })
  return folder
}

/** For tests in which the library itself is the client; tests of a gateway use `startNetworkThread`. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await import('../../workers/simulator/index.ts')
  return simulator.startSimulator({ trace: libraryTrace(), ...options })
}

export async function startNetworkThread(options: SandboxNetworkOptions = {}): Promise<NetworkThread> {
  const thread = await import('../../workers/simulator/network-thread.ts')
  return thread.startNetworkThread({ trace, ...options })
}
