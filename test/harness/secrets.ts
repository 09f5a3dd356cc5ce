/**
 * No secret in any log of any test: whoever runs the suite with `TEST_LOGS` set to a folder gets the log of every service there, and every
 * credential that tests were given or asked with; `scripts/log-secrets.mjs` then looks for the ones in the others.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.env.TEST_LOGS || undefined
const fileOf = (kind: string) => join(folder!, `${process.pid}.${kind}`)

/** Keys, tokens of apps and of instances, secrets of webhooks: as nothing else looks. */
const CREDENTIAL = /svc_(?:key|admin|oat|ort)_[0-9a-f]{48,80}|whsec_[0-9A-Za-z]{32}|(?<![0-9a-f])[0-9a-f]{48}(?![0-9a-f])/g

export const credentialsIn = (text: string): string[] => [...text.matchAll(CREDENTIAL)].map(([credential]) => credential)

/** No refusal holds a credential, whoever sent it: what was wrong is named and not repeated. Throws. */
export function checkRefusal(what: string, text: string): void {
  const [found] = credentialsIn(text)
  if (found) throw new Error(`a refusal holds a credential: ${what} ${text.replaceAll(found, '<a credential>').slice(0, 500)}`)
}

const noted = new Set<string>()

/** Every credential in a text. */
export function noteSecrets(text: string): void {
  if (folder === undefined) return
  for (const credential of credentialsIn(text)) {
    if (noted.has(credential)) continue
    noted.add(credential)
    appendFileSync(fileOf('secrets'), `${credential}\n`)
  }
}

/** Where a service logs to: nowhere but to the folder, unless a test wants to see it. */
export function loggingEnv(): Record<string, string> {
  if (process.env.SVC_LOG_LEVEL) return { SVC_LOG_LEVEL: process.env.SVC_LOG_LEVEL }
  return folder === undefined ? { SVC_LOG_LEVEL: 'fatal' } : { SVC_LOG_LEVEL: 'info', SVC_TEST_LOG_FILE: fileOf('log') }
}
