import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startControlServer } from './control/control-server.ts'
import type { NetworkControl } from './control/network-control.ts'
import { type MediaHost, startMediaHost, type TakeFault } from './media/media-host.ts'
import { withMedia } from './media/received.ts'
import type { SandboxNetworkOptions, SandboxNetworkReady } from './sandbox-start.ts'
import { type SimulatorControl, startSimulator } from './simulator.ts'

export interface SandboxNetwork extends SandboxNetworkReady {
  control: SimulatorControl
  stop(): Promise<void>
}

const LOOPBACK = '127.0.0.1'

export async function startSandboxNetwork(
  options: SandboxNetworkOptions,
  warn: (sentence: string) => void,
): Promise<SandboxNetwork> {
  const { dataDir, keep = true, port = 0, controlPort = 0, trace } = options
  if (dataDir !== undefined) await mkdir(dataDir, { recursive: true })
  const undo: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    // The media host is started first, because the network needs its address. The host reads the pictures and the fault
    // rules of the network only later.
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
    const control = withMedia(simulator.control, media)
    const server = await startControlServer(control, { port: controlPort, host: LOOPBACK, onDefect })
    undo.push(() => server.stop())
    const ca = await authorityFile(media, dataDir, undo)
    const { url, root, rootSerial } = simulator
    const network = { url, root, root_serial: rootSerial, ca, media_host: media.host }
    return { network, control, controlUrl: server.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const onDefect = (error: unknown) => void process.stderr.write(`sandbox: ${error instanceof Error ? error.stack : error}\n`)

/** Returns the path of a file with the certificate, because `SVC_NETWORK_CA` must be a path. */
async function authorityFile(media: MediaHost, dataDir: string | undefined, undo: (() => Promise<void>)[]): Promise<string> {
  if (dataDir !== undefined) return join(dataDir, 'media-ca.pem')
  const folder = await mkdtemp(join(tmpdir(), 'svc-network-'))
  undo.push(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'media-ca.pem'), media.caPem)
  return join(folder, 'media-ca.pem')
}
