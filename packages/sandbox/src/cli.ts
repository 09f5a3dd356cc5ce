#!/usr/bin/env node
/** `npx svc-sandbox`: runs a network until a signal ends it. */
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { type Sandbox, startSandbox } from './index.ts'

const HELP = `svc-sandbox: a simulated WhatsApp network on this machine

  --port <number>          port of the WebSocket server; any free port by default
  --control-port <number>  port of the control API; 8081 by default
  --data <folder>          keeps phones, keys and media in this folder; by default nothing is kept
  --trace <file>           appends every stanza to this file
  --json                   prints the addresses as one JSON object on one line
  --help, --version
`

const OPTIONS = {
  port: { type: 'string', default: '0' },
  'control-port': { type: 'string', default: '8081' },
  data: { type: 'string' },
  trace: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
  version: { type: 'boolean', default: false, short: 'V' },
} as const

function portOf(name: 'port' | 'control-port', value: string): number {
  const port = Number(value)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new TypeError(`--${name} must be a number from 0 to 65535.`)
  return port
}

function textOf({ network, controlUrl }: Sandbox): string {
  return `The sandbox is ready. Every number is a person, who answers texts that begin with "echo ".

  Network      ${network.url}
  Root key     ${network.root}
  Media host   ${network.media_host}, certificate authority ${network.ca}
  Control API  ${controlUrl}

Make a phone, and let it scan the QR code that your client shows:

  curl ${controlUrl}/phones -H 'content-type: application/json' -d '{"phone":"5511999990001"}'
  curl ${controlUrl}/phones/5511999990001/scan -H 'content-type: application/json' -d '{"qr":"<text of the code>"}'
`
}

async function run(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS })
  if (values.help) return void process.stdout.write(HELP)
  if (values.version)
    return void process.stdout.write(`svc-sandbox ${createRequire(import.meta.url)('../package.json').version}\n`)
  const sandbox = await startSandbox({
    port: portOf('port', values.port),
    controlPort: portOf('control-port', values['control-port']),
    dataDir: values.data,
    trace: values.trace,
    onWarning: (sentence) => process.stderr.write(`svc-sandbox: ${sentence}\n`),
  })
  const { network, controlUrl: sandbox_url } = sandbox
  process.stdout.write(values.json ? `${JSON.stringify({ sandbox_url, network })}\n` : textOf(sandbox))
  const stop = () => void sandbox.stop().finally(() => process.exit())
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
}

function fail(error: unknown): void {
  process.stderr.write(`svc-sandbox: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}

await run().catch(fail)
