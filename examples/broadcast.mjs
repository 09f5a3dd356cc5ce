/**
 * Sends one text to each number of a file (one number per line, or the first column of a CSV file) and waits for each outcome.
 * Start it with: SVC_URL=<api_url of the instance> node examples/broadcast.mjs numbers.csv "The text"
 *
 * It may be stopped and started again: the Idempotency-Key of a message is made from the number and the text, so that nobody gets the same
 * text twice within 24 hours. Write only to people who want your messages, because the network bans accounts that write to others.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

const url = process.env.SVC_URL
const [file, message] = process.argv.slice(2)
const numbers = (await readFile(file, 'utf8'))
  .split('\n')
  .map((line) => line.split(/[,;]/)[0].replace(/\D/g, ''))
  .filter((number) => number !== '')

async function send(phone) {
  const key = createHash('sha256').update(`${phone} ${message}`).digest('hex').slice(0, 40)
  const response = await fetch(`${url}/send-text`, {
    method: 'POST',
    // The answer comes when the outcome of the message is known, or after 10 s with the status `queued`.
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key, Prefer: 'wait=10' },
    body: JSON.stringify({ phone, message }),
  })
  const answer = await response.json()
  if (response.status !== 429 && response.status < 500) return answer.error ? answer.error.message : answer.status
  await new Promise((resolve) => setTimeout(resolve, 1_000 * Number(response.headers.get('Retry-After') ?? 5)))
  return send(phone)
}

for (const [index, phone] of numbers.entries()) console.log(`${index + 1} of ${numbers.length}: ${phone} ${await send(phone)}`)
