/**
 * Starts the simulator for tests. If `SVC_SANDBOX_TRACE` is a folder, every network of a run writes its trace (the
 * stanzas that it sent and received) to a separate file there. Traces of an unmodified library are in a subfolder,
 * because the gateway is not responsible for what the library sends. Processes that tests start read the variable
 * themselves. The simulator is imported only when it is needed: a test whose network runs in another thread does not
 * need it in this thread.
 */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Simulator, SimulatorOptions } from '../../workers/simulator/index.ts'
import type { NetworkThread } from '../../workers/simulator/network-thread.ts'
import type { SandboxNetworkOptions, SandboxNetworkReady } from '../../workers/simulator/sandbox-start.ts'

export type { NetworkThread, SandboxNetworkReady, Simulator }

const trace = process.env.SVC_SANDBOX_TRACE || undefined

/** Returns the folder for traces of an unmodified library, or undefined if no traces are written. */
export function libraryTrace(): string | undefined {
  if (trace === undefined || !statSync(trace, { throwIfNoEntry: false })?.isDirectory()) return trace
  const folder = join(trace, 'library')
  mkdirSync(folder, { recursive: true })
  return folder
}

/**
 * Starts a simulator in this thread, for tests in which the library itself is the client. Tests of a gateway use
 * `startNetworkThread`.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await import('../../workers/simulator/index.ts')
  return simulator.startSimulator({ trace: libraryTrace(), ...options })
}

export async function startNetworkThread(options: SandboxNetworkOptions = {}): Promise<NetworkThread> {
  const thread = await import('../../workers/simulator/network-thread.ts')
  return thread.startNetworkThread({ trace, ...options })
}
