/**
 * The simulator as tests start it: whoever sets `SVC_SANDBOX_TRACE` to a folder gets a trace of every network of a run, a file each. What
 * tests start as processes of their own reads the variable itself. Loaded late: a test that has it in a thread does not need it here.
 */
import type { Simulator, SimulatorOptions } from '../../workers/simulator/index.ts'
import type { SandboxNetworkOptions } from '../../workers/simulator/main.ts'
import type { NetworkThread } from '../../workers/simulator/thread.ts'

export type { NetworkThread, Simulator }

const trace = process.env.SVC_SANDBOX_TRACE || undefined

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await import('../../workers/simulator/index.ts')
  return simulator.startSimulator({ trace, ...options })
}

export async function startNetworkThread(options: SandboxNetworkOptions = {}): Promise<NetworkThread> {
  const thread = await import('../../workers/simulator/thread.ts')
  return thread.startNetworkThread({ trace, ...options })
}
