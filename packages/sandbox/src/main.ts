/** The main module of the network's own thread (`sandbox-thread.ts`). */
import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { startSandboxNetwork } from './sandbox-network.ts'
import type { SandboxNetworkOptions, SandboxNetworkReady } from './sandbox-start.ts'

export type FromNetwork = { ready: SandboxNetworkReady } | { warning: string }

/** Runs the network. Posts `ready` when it has started, and stops it when a message with `stop` arrives. */
async function serveThread(port: MessagePort, options: SandboxNetworkOptions): Promise<void> {
  const post = (message: FromNetwork) => port.postMessage(message)
  const { stop, network, controlUrl } = await startSandboxNetwork(options, (warning) => post({ warning }))
  port.on('message', (message: { stop?: true }) => {
    if (message.stop) stop().then(() => port.close(), rethrow)
  })
  post({ ready: { network, controlUrl } })
}

function rethrow(error: unknown): void {
  setImmediate(() => {
    throw error
  })
}

const threadOptions: SandboxNetworkOptions | undefined = isMainThread ? undefined : workerData?.sandboxNetwork
if (parentPort && threadOptions) await serveThread(parentPort, threadOptions)
