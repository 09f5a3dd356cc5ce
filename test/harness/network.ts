/**
 * The simulator as tests start it: whoever sets `SVC_SANDBOX_TRACE` to a folder gets a trace of every network of a run, a file each; those
 * of conversations with an unmodified library in a folder of their own, because what it sends is not ours to answer for. What tests start as
 * processes of their own reads the variable itself. Loaded late: a test that has it in a thread does not need it here.
 */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Simulator, SimulatorOptions } from '../../workers/simulator/index.ts'
import type { SandboxNetworkOptions, SandboxNetworkReady } from '../../workers/simulator/main.ts'
import type { NetworkThread } from '../../workers/simulator/thread.ts'

export type { NetworkThread, SandboxNetworkReady, Simulator }

const trace = process.env.SVC_SANDBOX_TRACE || undefined

/** Where conversations of the library are written; undefined: nowhere. */
export function libraryTrace(): string | undefined {
  if (trace === undefined || !statSync(trace, { throwIfNoEntry: false })?.isDirectory()) return trace
  const folder = join(trace, 'library')
  mkdirSync(folder, { recursive: true })
  return folder
}

/** For the library itself as the client; a gateway has `startNetworkThread`. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await import('../../workers/simulator/index.ts')
  return simulator.startSimulator({ trace: libraryTrace(), ...options })
}

export async function startNetworkThread(options: SandboxNetworkOptions = {}): Promise<NetworkThread> {
  const thread = await import('../../workers/simulator/thread.ts')
  return thread.startNetworkThread({ trace, ...options })
}
