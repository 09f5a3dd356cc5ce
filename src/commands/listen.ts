/** `listen`: posts the events of an instance to a program on the developer's machine, as webhooks would. */
import { newWebhookSecret } from '../account/credentials.ts'
import type { Config } from '../config.ts'
import { systemClock } from '../domain/clock.ts'
import { EVENT_TYPES, type EventType } from '../domain/events.ts'
import { parseRanges } from '../egress/addresses.ts'
import { createDelivery } from '../webhooks/delivery/delivery.ts'
import { command, UsageError } from './command.ts'
import { readEvents } from './event-client.ts'

const NAME = 'listen'
/**
 * Ranges that the command may post to: every address, because developers run it on their own machine and choose the
 * address.
 */
const ANYWHERE = ['0.0.0.0/0', '::/0']

interface Given {
  readonly url?: string | undefined
  readonly instance?: string | undefined
  readonly token?: string | undefined
  readonly 'api-key'?: string | undefined
}

function httpUrl(text: string, option: string): string {
  if (!URL.canParse(text) || !['http:', 'https:'].includes(new URL(text).protocol))
    throw new UsageError(`--${option} is ${JSON.stringify(text)}; it must be an http or https URL.`, NAME)
  return text
}

function typesOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const types = text.split(',').map((type) => type.trim().toLowerCase())
  for (const type of types)
    if (!(EVENT_TYPES as readonly string[]).includes(type))
      throw new UsageError(`--types has ${JSON.stringify(type)}; the event types are ${EVENT_TYPES.join(', ')}.`, NAME)
  return types.join(',')
}

function accessOf({ listen, baseUrl, host, port }: Config, given: Given): { apiUrl: string; headers: Record<string, string> } {
  const url = httpUrl(given.url ?? listen.url ?? baseUrl ?? `http://${host}:${port}`, 'url').replace(/\/+$/, '')
  const instance = given.instance ?? listen.instance
  const token = given.token ?? listen.token
  if (!instance) throw new UsageError('--instance is missing: give the id of the instance (or set SVC_LISTEN_INSTANCE).', NAME)
  if (!token) throw new UsageError('--token is missing: give the token of the instance (or set SVC_LISTEN_TOKEN).', NAME)
  const apiKey = given['api-key'] ?? listen.apiKey
  return {
    apiUrl: `${url}/instances/${encodeURIComponent(instance)}/token/${encodeURIComponent(token)}`,
    headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
  }
}

const clockTime = (at: number) => new Date(at).toISOString().slice(11, 23)

export const listen = command({
  name: NAME,
  summary: 'Post the events of an instance to a program on this machine',
  details: [
    'The command reads the event stream of a running service and posts each event to your program exactly as a webhook would: same body, same',
    'headers, signed. The service does not need to reach this machine, and no webhook needs to be configured. One line is printed per event;',
    'Ctrl-C stops. After a lost connection the command resumes where it stopped; an event that your program refuses is not retried. The variables',
    'SVC_LISTEN_URL, SVC_LISTEN_INSTANCE, SVC_LISTEN_TOKEN, SVC_LISTEN_API_KEY and SVC_LISTEN_SECRET can replace the options: other users of the',
    'machine can read a command line, but not the environment.',
  ].join('\n'),
  isRemote: true,
  options: {
    'forward-to': { value: '<url>', about: 'URL that the events are posted to', required: true },
    url: { value: '<url>', about: 'base URL of the service; if omitted, SVC_BASE_URL, or SVC_HOST and SVC_PORT' },
    instance: { value: '<id>', about: 'id of the instance' },
    token: { value: '<token>', about: 'token of the instance' },
    'api-key': { value: '<key>', about: 'API key, if the workspace requires one' },
    types: { value: '<types>', about: `event types to forward, separated by commas; all if omitted: ${EVENT_TYPES.join(', ')}` },
    secret: { value: '<whsec_…>', about: 'secret that signs the events; if omitted, a new one is created and printed' },
  },
  async run({ config, options, print, note, interrupted }) {
    const target = httpUrl(options['forward-to'] ?? '', 'forward-to')
    const types = typesOf(options.types)
    const { apiUrl, headers } = accessOf(config, options)
    const signal = interrupted()
    const secret = options.secret ?? config.listen.secret ?? newWebhookSecret()
    print(`Signing secret: ${secret}`)
    const delivery = createDelivery({ allow: parseRanges(ANYWHERE), clock: systemClock })
    try {
      await readEvents({
        apiUrl,
        headers,
        types,
        signal,
        onOpen: () => note(`Listening. Events are forwarded to ${target}; press Ctrl-C to stop.`),
        onCut: (why, waitMs) => note(`Not connected: ${why}. Retrying in ${waitMs / 1_000} s.`),
        onGap: ({ from, to }) =>
          print(`${clockTime(Date.now())}  gap: some events after ${from}, up to ${to}, are no longer stored`),
        async onEvent({ id, data }) {
          const { type, instance_id: instanceId } = JSON.parse(data) as { type: EventType; instance_id: string }
          const attempt = { url: target, secrets: [secret], body: Buffer.from(data), type, eventId: id, instanceId, attempt: 1 }
          const { code, error, durationMs } = await delivery.deliver(attempt, signal)
          print(`${clockTime(Date.now())}  ${type.padEnd(15)}  ${id}  ${code ?? error}  ${durationMs} ms`)
        },
      })
    } finally {
      await delivery.close()
    }
    return ''
  },
})
