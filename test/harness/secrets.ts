/**
 * Finds secrets in the logs of tests. If `TEST_LOGS` is a folder, services write their logs to it, and tests write to
 * it which credentials they sent or received. `scripts/log-secrets.mjs` then searches the logs for these credentials.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.env.TEST_LOGS || undefined
const fileOf = (kind: string) => join(folder!, `${process.pid}.${kind}`)

/** Matches API keys, tokens of apps and of instances, and secrets of webhooks, by their formats. */
const CREDENTIAL = /svc_(?:key|admin|oat|ort)_[0-9a-f]{48,80}|whsec_[0-9A-Za-z]{32}|(?<![0-9a-f])[0-9a-f]{48}(?![0-9a-f])/g

export const credentialsIn = (text: string): string[] => [...text.matchAll(CREDENTIAL)].map(([credential]) => credential)

/**
 * Throws if the text of a refusal contains a credential. A refusal may name the wrong field, but must not repeat its
 * value.
 */
export function checkRefusal(what: string, text: string): void {
  const [found] = credentialsIn(text)
  if (found) throw new Error(`a refusal holds a credential: ${what} ${text.replaceAll(found, '<a credential>').slice(0, 500)}`)
}

const noted = new Set<string>()

export function noteSecrets(text: string): void {
  if (folder === undefined) return
  for (const credential of credentialsIn(text)) {
    if (noted.has(credential)) continue
    noted.add(credential)
    appendFileSync(fileOf('secrets'), `${credential}\n`)
  }
}

/**
 * Returns the environment variables for the log of a service. Unless SVC_LOG_LEVEL is set, the log goes to a file in
 * the folder, or has only fatal errors if there is no folder.
 */
export function loggingEnv(): Record<string, string> {
  if (process.env.SVC_LOG_LEVEL) return { SVC_LOG_LEVEL: process.env.SVC_LOG_LEVEL }
  return folder === undefined ? { SVC_LOG_LEVEL: 'fatal' } : { SVC_LOG_LEVEL: 'info', SVC_TEST_LOG_FILE: fileOf('log') }
}
