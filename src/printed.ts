/**
 * Output for a person: the help, and at a start the addresses, the admin key (only at the start that creates it), and
 * in the sandbox an example for a shell.
 */
import { CALLED } from './commands/called.ts'
import { BRAND } from './domain/brand.ts'
import type { DashboardMode } from './domain/dashboard.ts'

/**
 * Fields of the output of `--json`. Null means that a field does not apply. `admin_key` is also null if this start does
 * not know the key, of which only the hash is stored.
 */
export interface Printed {
  base_url: string | null
  sandbox_url: string | null
  admin_key: string | null
  /**
   * The simulated network; its fields are null for the real network. `root` is a public key in base64, with which the
   * certificates of the network are verified. `ca` is a PEM file for the media host.
   */
  network: {
    url: string | null
    root: string | null
    root_serial: number | null
    ca: string | null
    media_host: string | null
  }
}

export const HELP = `${BRAND}: a REST and webhook gateway to WhatsApp accounts

  ${CALLED.start}
      start the service on the real network
  ${CALLED.sandbox}
      start the service on a simulated network on this machine
  ${CALLED.networkOnly}
      start only the simulated network and its control API

  --json    print the addresses and the admin key as one JSON object, on the first line of standard output
  --help    print this text
  --version print the version

Operator commands (lost admin key, workspaces, the store): ${CALLED.cli} help

Settings are read from the environment (${BRAND.toUpperCase()}_*): see docs/configuration.md. Logs go to standard error.
`

export function readyText(
  printed: Printed,
  { dataDir, dashboard, adminKey }: { dataDir: string; dashboard: DashboardMode; adminKey: string | null },
): string {
  const { base_url, sandbox_url, admin_key } = printed
  const rows: (readonly [string, string | null])[] = [
    ['API', base_url],
    ['Reference', `${base_url}/docs`],
    ['Dashboard', dashboard === 'off' ? null : `${base_url}/dashboard`],
    ['Sandbox', sandbox_url],
    ['Data', dataDir],
    ['Admin key', adminKeyRow(printed, adminKey !== null)],
  ]
  const table = rows.flatMap(([name, value]) => (value === null ? [] : [`  ${name.padEnd(11)}${value}\n`])).join('')
  const example = sandbox_url === null || base_url === null ? '' : exampleText(base_url, sandbox_url, admin_key)
  return `${BRAND} is ready\n${table}${example}`
}

/** Returns the text beside `Admin key`. `isSet` is true if the operator has set the key with SVC_ADMIN_KEY. */
function adminKeyRow({ admin_key, sandbox_url }: Printed, isSet: boolean): string {
  if (admin_key === null && isSet) return 'the value of SVC_ADMIN_KEY'
  if (admin_key === null) return `printed at the first start (if lost: ${CALLED.cli} admin-key reset)`
  return sandbox_url === null ? `${admin_key}   shown only once: keep it` : admin_key
}

export function networkText({ sandbox_url, network }: Printed): string {
  const name = `${BRAND.toUpperCase()}_NETWORK`
  return [
    `The sandbox network is ready. Control API: ${sandbox_url}`,
    `${name}_URL=${network.url}`,
    `${name}_ROOT=${network.root}`,
    `${name}_CA=${network.ca}`,
    `${name}_MEDIA_HOST=${network.media_host}`,
    '',
  ].join('\n')
}

/** Returns five lines of shell with curl and sed that create an instance, pair it, send a text, and read the reply. */
function exampleText(api: string, sandbox: string, adminKey: string | null): string {
  const json = "-H 'content-type: application/json'"
  const field = (name: string) => `sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/'`
  return `
Pair, send, receive (paste into a shell):
  KEY=$(curl -s ${api}/admin/api-keys -H 'authorization: Bearer ${adminKey ?? '<admin key>'}' ${json} -d '{"name":"try '$RANDOM'","scopes":["instances:write"]}' | ${field('value')})
  URL=$(curl -s ${api}/account/instances -H "authorization: Bearer $KEY" ${json} -d '{"name":"first"}' | ${field('api_url')})
  curl -s ${sandbox}/phones ${json} -d '{"phone":"5511999990001"}'; curl -s $URL/qr-code | sed 's/"value"/"image"/; s/,"expires_at".*/}/' | curl -s ${sandbox}/phones/5511999990001/scan ${json} -d @-
  until curl -s $URL/status | grep -q '"connected":true'; do sleep 1; done; curl -s $URL/send-text ${json} -d '{"phone":"5511988887777","message":"echo hello"}'
  curl -s "${sandbox}/contacts/5511988887777/inbox?after=0&wait_ms=10000"
`
}
