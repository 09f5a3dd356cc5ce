import type { Settings } from './control/schemas/network.ts'
import { createControl, type SimulatorControl } from './network/control.ts'
import type { Upload } from './network/control-messages.ts'
import { createNetwork, DEFAULT_SETTINGS } from './network/network.ts'
import { PATH, startServer } from './network/server.ts'
import { openStateFile, type StateFile, type Warn } from './network/state-file.ts'
import { silenceLibsignal } from './people/quiet.ts'
import { openTraceFile } from './watch/trace-file.ts'
import { ROOT_SERIAL } from './wire/trust.ts'

export type { SimulatorControl } from './network/control.ts'

export interface MediaHost {
  /** `host:port` of the media host, as clients receive it. */
  host: string
  /** Stores media that simulated people send. If it is absent, they cannot send any. */
  upload?: Upload
}

export interface SimulatorOptions {
  /** Port of the server. By default it is 0, which means any free port. */
  port?: number
  /** File in which the network is stored. If it is absent, the network is lost when the process ends. */
  stateFile?: string
  mediaHost?: MediaHost
  settings?: Partial<Settings>
  /** File or folder to which all stanzas are written. */
  trace?: string | undefined
  /** Receives messages for the operator. By default they are dropped. */
  warn?: Warn | undefined
}

export interface Simulator {
  /** Address of the network: `ws://127.0.0.1:port/ws/chat`. */
  url: string
  /** The public key (32 bytes, base64) that verifies the signature of the network's certificates. */
  root: string
  /** The serial number that the intermediate certificate gives for its issuer. */
  rootSerial: number
  control: SimulatorControl
  stop(): Promise<void>
}

const nowhere: Upload = async () => {
  throw new Error('this network has no media host')
}

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  silenceLibsignal()
  let file: StateFile | undefined
  const { stateFile, warn = () => undefined } = options
  const saved = stateFile === undefined ? undefined : await openStateFile(stateFile, warn)
  const network = createNetwork({
    ...(saved?.trust ? { trust: saved.trust } : {}),
    settings: options.settings ?? {},
    mediaHost: options.mediaHost?.host,
    upload: options.mediaHost?.upload,
    changed: () => file?.due(),
  })
  file = saved?.attach(network)
  Object.assign(network.settings, options.settings)
  const traceFile = options.trace === undefined ? undefined : await openTraceFile(network.trace, options.trace, network.note)
  const server = await startServer(network, options.port ?? 0)

  async function reset() {
    for (const connection of [...network.connections]) connection.cut()
    for (const part of [network.people, network.lids, network.groups, network.newsletters, network.calls, network.refs])
      part.clear()
    network.stop()
    network.faults.clear()
    network.answers.clear()
    network.expectations.clear()
    Object.assign(network.settings, DEFAULT_SETTINGS, options.settings)
    network.forged.clear()
    network.retiredSecrets.clear()
    network.failures.length = 0
    Object.assign(network.stats, { stanzasIn: 0, stanzasOut: 0, undecryptable: 0, unknownQueries: [], uploads: 0 })
    network.isDown = false
    network.changed()
  }

  return {
    url: `ws://127.0.0.1:${server.port}${PATH}`,
    root: network.trust.root.toString('base64'),
    rootSerial: ROOT_SERIAL,
    control: createControl(network, options.mediaHost?.upload ?? nowhere, reset),
    async stop() {
      await server.stop()
      network.stop()
      network.expectations.clear()
      await traceFile?.close()
      await file?.close()
    },
  }
}
