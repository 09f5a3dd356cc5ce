/**
 * Loaded before everything else, in every process and thread of the test: it is the day on which the folder was made, or messages would be
 * too old to be sent and answers to be remembered.
 */
import { readFileSync } from 'node:fs'
import { ROOT } from '../../harness/checkout.ts'

const { madeAt } = JSON.parse(readFileSync(new URL('test/faults/upgrade/0.1.0/story.json', ROOT), 'utf8')) as { madeAt: number }
const Today = Date
/** From when this process began, a minute after the folder was made. */
process.env.UPGRADE_CLOCK ??= String(Today.now() - madeAt - 60_000)
const back = Number(process.env.UPGRADE_CLOCK)

globalThis.Date = class extends Today {
  constructor(...parts: []) {
    super(...((parts.length === 0 ? [Today.now() - back] : parts) as []))
  }
  static override now = () => Today.now() - back
} as DateConstructor
