/** Asks another service for the measurements of its instances. */
import type { IncomingMessage } from 'node:http'
import { type Agent, request as ask } from 'node:https'
import * as v from 'valibot'
import { bodyReader } from '../../body-reader.ts'
import type { InstanceReading } from '../../domain/readings.ts'
import type { ActiveService } from '../forward-rules.ts'
import { LINK_ACTIVE, LINK_ENGINE } from '../link-headers.ts'
import { unpack } from './packed.ts'
import { READINGS_PATH } from './peer-command.ts'

const time = v.nullable(v.number())
const count = v.number()
const Reading = v.looseObject({
  instance: v.string(),
  waiting: count,
  backlog: count,
  lastInboundAt: time,
  attempts: v.object({ delivered: count, retry: count, failed: count, discarded: count }),
  refusedSince: time,
  work: v.looseObject({
    since: v.number(),
    cpuMs: count,
    sent: count,
    received: count,
    reconnects: count,
    lastSentAt: time,
    lastReceivedAt: time,
    heldBytes: count,
  }),
}) satisfies v.GenericSchema<unknown, InstanceReading>

/**
 * Returns the readings in an answer, without those that this release does not understand. Throws if the answer is no
 * list.
 */
export const readingsOfAnswer = (answer: unknown): InstanceReading[] =>
  v.parse(v.array(v.unknown()), answer).flatMap((each) => {
    const found = v.safeParse(Reading, each)
    return found.success ? [found.output] : []
  })

/**
 * Reads the measurements of another service. Resolves with an empty list if there is no answer in time, or none that
 * this release understands.
 */
export const readingsOf = ({ id, host, port }: ActiveService, agent: Agent, withinMs: number): Promise<InstanceReading[]> =>
  new Promise((resolve) => {
    const headers = { [LINK_ACTIVE]: id, [LINK_ENGINE]: '1' }
    const request = ask({ host, port, agent, path: READINGS_PATH, headers })
    const late = setTimeout(fail, withinMs)
    function end(readings: InstanceReading[]) {
      clearTimeout(late)
      resolve(readings)
    }
    function fail() {
      end([])
      request.destroy()
    }
    request.on('error', fail)
    request.once('response', (response) => {
      response.on('error', fail)
      readingsIn(response).then(end, fail)
    })
    request.end()
  })

async function readingsIn(response: IncomingMessage): Promise<InstanceReading[]> {
  if (response.statusCode !== 200) throw new Error(`The other service answered ${response.statusCode}.`)
  return readingsOfAnswer(await unpack(bodyReader(response)))
}
