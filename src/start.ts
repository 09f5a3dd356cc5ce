/**
 * `npm start` and `npm run sandbox`: reads the flags, starts the service, prints its output for a person or a script,
 * and stops on a signal.
 */
import './refuse-old-node.ts'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { complaint } from './complaint.ts'
import { type Config, readConfig } from './config.ts'
import { BRAND, VERSION } from './domain/brand.ts'
import { createLog, type Logger } from './log.ts'
import { type Service, startService } from './main.ts'
import { HELP, networkText, type Printed, readyText } from './printed.ts'
import { whyNot } from './serve.ts'
import { onStopRequest } from './service/on-stop-request.ts'
import { StandbyStopped } from './service/stand-by.ts'
import { makeDataDir } from './storage/private.ts'

interface Flags {
  sandbox: boolean
  json: boolean
  networkOnly: boolean
}

/**
 * The simulated network. Its type is declared here, because no module of the sandbox network is loaded outside of the
 * sandbox, not even for its types.
 */
interface Network {
  network: { url: string; root: string; root_serial: number; ca: string; media_host: string }
  controlUrl: string
  ended: Promise<void>
  stop(): Promise<void>
}

interface Running {
  printed: Printed
  ended: Promise<void> | undefined
  stop(): Promise<void>
}

/** Reads the flags. If the result has a `text`, this text is printed and nothing is started. */
function readFlags(): Flags | { text: string } {
  const { values } = parseArgs({
    options: {
      sandbox: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      'network-only': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false, short: 'h' },
      version: { type: 'boolean', default: false, short: 'V' },
    },
  })
  if (values.help) return { text: HELP }
  if (values.version) return { text: `${BRAND} ${VERSION}\n` }
  return { sandbox: values.sandbox, json: values.json, networkOnly: values['network-only'] }
}

/**
 * Starts the simulated network. Only the sandbox calls this function, so that otherwise no module of the simulator is
 * loaded.
 */
async function startNetwork({ dataDir, sandboxPort, sandboxKeep, sandboxTrace }: Config, log: Logger): Promise<Network> {
  await makeDataDir(dataDir)
  const { startSandboxThread } = await import('../packages/sandbox/src/sandbox-thread.ts')
  const trace = sandboxTrace ?? undefined
  const options = { dataDir: join(dataDir, 'network'), keep: sandboxKeep, controlPort: sandboxPort, trace }
  return startSandboxThread(options, (sentence) => log.warn(sentence)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.syscall !== 'listen') throw cause
    throw new Error(`The sandbox cannot listen on port ${sandboxPort}: ${whyNot(cause)} (SVC_SANDBOX_PORT).`, { cause })
  })
}

const networkOf = (network: Network | undefined): Printed['network'] =>
  network === undefined ? { url: null, root: null, root_serial: null, ca: null, media_host: null } : { ...network.network }

async function runService(config: Config, log: Logger, stopSoon: () => void): Promise<Running> {
  const service = await startService(config, { log, stopSoon, whileStandby: (leave) => onStopRequest(config, log, leave) })
  const printed = {
    base_url: service.baseUrl,
    sandbox_url: null,
    admin_key: service.adminKey,
    network: {
      url: config.network.url,
      root: config.network.root,
      root_serial: null,
      ca: config.network.ca,
      media_host: config.network.mediaHost,
    },
  }
  return { printed, ended: undefined, stop: () => service.stop(config.shutdownMs) }
}

async function runNetwork(config: Config, log: Logger): Promise<Running> {
  const network = await startNetwork(config, log)
  const printed = { base_url: null, sandbox_url: network.controlUrl, admin_key: null, network: networkOf(network) }
  return { printed, ended: network.ended, stop: () => network.stop() }
}

async function runSandbox(config: Config, log: Logger, stopSoon: () => void): Promise<Running> {
  const network = await startNetwork(config, log)
  try {
    const { url, root, ca, media_host } = network.network
    const service = await startService(
      { ...config, network: { ...config.network, url, root, ca, mediaHost: media_host } },
      { log, stopSoon, sandboxUrl: network.controlUrl, whileStandby: (leave) => onStopRequest(config, log, leave) },
    )
    const adminKey = await rememberedAdminKey(config, service)
    return {
      printed: { base_url: service.baseUrl, sandbox_url: network.controlUrl, admin_key: adminKey, network: networkOf(network) },
      ended: network.ended,
      async stop() {
        await service.stop(config.shutdownMs)
        await network.stop()
      },
    }
  } catch (error) {
    await network.stop()
    throw error
  }
}

/**
 * Returns the admin key of the sandbox; null if it is not known. The simulated network protects nothing, so the key may
 * be stored in a file and printed at every start.
 */
async function rememberedAdminKey(config: Config, service: Service): Promise<string | null> {
  const file = join(config.dataDir, 'admin-key')
  if (config.adminKey !== null) return config.adminKey
  if (service.adminKey !== null) {
    await writeFile(file, service.adminKey, { mode: 0o600 })
    return service.adminKey
  }
  const kept = await readFile(file, 'utf8').catch(() => '')
  return service.isAdminKey(kept) ? kept : null
}

function stopOnSignal(running: Running, config: Config, log: Logger, handover: AbortSignal): void {
  const stop = () => {
    running.stop().then(
      () => {
        log.info({}, 'stopped')
        process.exit(0)
      },
      (error) => {
        log.error({ err: error }, 'the service could not be stopped properly')
        process.exit(1)
      },
    )
  }
  onStopRequest(config, log, stop, handover)
}

/**
 * Keeps the service running if its output fails. The output may be a file on a full disk, or a pipe that no program
 * reads any longer.
 */
function outliveOutputs(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
}

async function start(): Promise<void> {
  outliveOutputs()
  const flags = readFlags()
  if ('text' in flags) {
    process.stdout.write(flags.text)
    return
  }
  const isSandbox = flags.sandbox || flags.networkOnly
  const { config, warnings } = readConfig({ sandbox: isSandbox })
  const log = createLog(config.logging, 'main')
  for (const warning of warnings) log.warn(warning)
  const run = flags.networkOnly ? runNetwork : flags.sandbox ? runSandbox : runService
  const handover = new AbortController()
  const running = await run(config, log, () => handover.abort())
  stopOnSignal(running, config, log, handover.signal)
  running.ended?.catch((error) => {
    log.fatal({ err: error }, 'the sandbox network ended')
    process.exit(1)
  })
  const { printed } = running
  if (flags.json) process.stdout.write(`${JSON.stringify(printed)}\n`)
  else process.stdout.write(flags.networkOnly ? networkText(printed) : readyText(printed, config))
}

start().catch((error: unknown) => {
  // The log already says that the service stops.
  if (error instanceof StandbyStopped) process.exit(0)
  process.stderr.write(`${BRAND}: ${complaint(error)}`)
  process.exit(1)
})
