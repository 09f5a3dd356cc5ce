import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { startControlServer } from './control/control-server.ts'
import type { NetworkControl } from './control/network-control.ts'
import { startSimulator } from './index.ts'
import { type MediaHost, startMediaHost, type TakeFault } from './media/media-host.ts'
import { withMedia } from './media/received.ts'

/** The entry point of the simulator: the network, its media host and its control API, all on loopback. */

export interface SandboxNetworkOptions {
  /** Folder of phones, keys and media. If it is absent, everything is lost when the process ends. */
  dataDir?: string | undefined
  /**
   * Whether phones and keys are written to the folder after each change. If it is false, they are lost when the process
   * ends. Media are always written.
   */
  keep?: boolean | undefined
  /** Port of the WebSocket server. With 0, or if it is absent, it is any free port. */
  port?: number | undefined
  controlPort?: number | undefined
  /** File or folder to which every stanza is written. */
  trace?: string | undefined
}

/** The result of the start. It consists of plain data, so that it can be sent between threads. */
export interface SandboxNetworkReady {
  /**
   * Settings with which a gateway uses this network: `SVC_NETWORK_URL`, `_ROOT`, `_CA` and `_MEDIA_HOST`. The serial
   * number of the root is for other clients, which check it as well.
   */
  network: { url: string; root: string; root_serial: number; ca: string; media_host: string }
  controlUrl: string
}

export interface SandboxNetwork extends SandboxNetworkReady {
  stop(): Promise<void>
}

const LOOPBACK = '127.0.0.1'

async function startSandboxNetwork(options: SandboxNetworkOptions, warn: (sentence: string) => void): Promise<SandboxNetwork> {
  const { dataDir, keep = true, port = 0, controlPort = 0, trace } = options
  if (dataDir !== undefined) await mkdir(dataDir, { recursive: true })
  /** Steps that stop the parts which have started. They run in reverse order, also if a later part fails to start. */
  const undo: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    // The network and the media host need each other: the network sends the host's address to clients, and has the
    // pictures and the fault rules that the host uses.
    let rules: TakeFault = () => undefined
    let pictures: NetworkControl['picture']
    const media = await startMediaHost({
      dir: dataDir,
      faults: (on, facts) => rules(on, facts),
      plain: (path) => pictures?.(path),
    })
    undo.push(() => media.stop())
    const simulator = await startSimulator({
      port,
      trace,
      warn,
      ...(dataDir === undefined || !keep ? {} : { stateFile: join(dataDir, 'network.json') }),
      mediaHost: { host: media.host, upload: media.put },
    })
    undo.push(() => simulator.stop())
    rules = simulator.control.faults.take
    pictures = (path) => simulator.control.picture?.(path)
    const control = await startControlServer(withMedia(simulator.control, media), { port: controlPort, host: LOOPBACK, onDefect })
    undo.push(() => control.stop())
    const ca = await authorityFile(media, dataDir, undo)
    const { url, root, rootSerial } = simulator
    const network = { url, root, root_serial: rootSerial, ca, media_host: media.host }
    return { network, controlUrl: control.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const onDefect = (error: unknown) => void process.stderr.write(`sandbox: ${error instanceof Error ? error.stack : error}\n`)

/** Writes the certificate of the authority to a file, because `SVC_NETWORK_CA` needs a file. */
async function authorityFile(media: MediaHost, dataDir: string | undefined, undo: (() => Promise<void>)[]): Promise<string> {
  if (dataDir !== undefined) return join(dataDir, 'media-ca.pem')
  const folder = await mkdtemp(join(tmpdir(), 'svc-network-'))
  undo.push(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'media-ca.pem'), media.caPem)
  return join(folder, 'media-ca.pem')
}

/** Messages that the thread of the network sends to the thread that started it. */
export type FromNetwork = { ready: SandboxNetworkReady } | { warning: string }

/**
 * Runs the network in its own thread (see `network-thread.ts`). It posts `ready`, and stops when it receives `stop`.
 */
async function serveThread(port: MessagePort, options: SandboxNetworkOptions): Promise<void> {
  const post = (message: FromNetwork) => port.postMessage(message)
  const { stop, ...ready } = await startSandboxNetwork(options, (warning) => post({ warning }))
  port.on('message', (message: { stop?: true }) => {
    if (message.stop) stop().then(() => port.close(), rethrow)
  })
  post({ ready })
}

/** Throws the error outside of the promise. So the error ends the thread, and reaches the thread that started it. */
function rethrow(error: unknown): void {
  setImmediate(() => {
    throw error
  })
}

const threadOptions: SandboxNetworkOptions | undefined = isMainThread ? undefined : workerData?.sandboxNetwork
if (parentPort && threadOptions) await serveThread(parentPort, threadOptions)
