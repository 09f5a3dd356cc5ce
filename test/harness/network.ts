/**
 * Starts the simulated network for tests. If `SVC_SANDBOX_TRACE` is a folder, a network writes the stanzas that it sent
 * and received to a file there, unless its test turns this off. Stanzas of an unmodified library go to a subfolder,
 * because the gateway is not responsible for them.
 */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxNetworkOptions, SandboxNetworkReady, SandboxThread } from '../../packages/sandbox/src/sandbox-thread.ts'
import type { Simulator, SimulatorOptions } from '../../packages/sandbox/src/testing.ts'

export type { SandboxNetworkReady, SandboxThread, Simulator }

const trace = process.env.SVC_SANDBOX_TRACE || undefined

export function libraryTrace(): string | undefined {
  if (trace === undefined || !statSync(trace, { throwIfNoEntry: false })?.isDirectory()) return trace
  const folder = join(trace, 'library')
  mkdirSync(folder, { recursive: true })
  return folder
}

/**
 * Starts the network in this thread, for tests in which the library itself is the client. Tests of a gateway use
 * `startSandboxThread`.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const testing = await import('../../packages/sandbox/src/testing.ts')
  return testing.startSimulator({ trace: libraryTrace(), ...options })
}

export async function startSandboxThread(options: SandboxNetworkOptions = {}): Promise<SandboxThread> {
  const thread = await import('../../packages/sandbox/src/sandbox-thread.ts')
  return thread.startSandboxThread({ trace, ...options })
}
