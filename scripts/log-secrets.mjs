/**
 * Searches the logs of a test run for every credential that the tests used: node scripts/log-secrets.mjs FOLDER, where
 * FOLDER was `TEST_LOGS` of `npm test` (test/harness/secrets.ts). Ends with code 1 if it finds one, or if there are no
 * credentials or no logs to search.
 */
import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Matches a credential. test/harness/secrets.ts has the same pattern. */
const CREDENTIAL = /svc_(?:key|admin|oat|ort)_[0-9a-f]{48,80}|whsec_[0-9A-Za-z]{32}|(?<![0-9a-f])[0-9a-f]{48}(?![0-9a-f])/g

const [folder] = process.argv.slice(2)
const files = readdirSync(folder)
const secrets = new Set(
  files
    .filter((name) => name.endsWith('.secrets'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean)),
)

let lines = 0
let found = 0
for (const name of files.filter((each) => each.endsWith('.log')))
  for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
    lines++
    for (const [credential] of line.matchAll(CREDENTIAL)) {
      if (!secrets.has(credential)) continue
      found++
      if (found <= 10) process.stdout.write(`${line.replaceAll(credential, '<a credential>').slice(0, 500)}\n`)
    }
  }

process.stdout.write(`Credentials in logs: ${found} of ${secrets.size} that were used, in ${lines} lines.\n`)
if (found > 0 || secrets.size === 0 || lines === 0) process.exitCode = 1
