import type { EventOf, EventType } from './event.ts'
import { type EventsOptions, readEvents } from './event-stream.ts'
import { INSTANCE_ROUTES, type InstanceGroups, SERVICE_ROUTES, type ServiceGroups } from './generated/operations.ts'
import { type ConnectionOptions, createRequests, type Input, type Requests, type SendOptions } from './request.ts'
import type { Route } from './route.ts'

/** Id of an instance, and the token for its operations. An answer of `account.createInstance` contains both. */
export interface InstanceCredentials {
  id: string
  token: string
}

/** Operations of one instance: `sendText`, `status`, …, and in groups `chats.list`, `groups.create`, … */
export type InstanceClient = Omit<InstanceGroups, 'send' | 'instance' | 'messages'> &
  InstanceGroups['send'] &
  InstanceGroups['instance'] &
  InstanceGroups['messages'] & {
    /**
     * Yields the events of the instance as they happen. Your program needs no public address for this. If the
     * connection is lost, the client connects again and the iteration continues. `signal` or `break` ends it.
     *
     * @example for await (const event of instance.events({ types: ['received'] })) console.log(event.phone)
     */
    events<T extends EventType = EventType>(options?: EventsOptions<T>): AsyncGenerator<EventOf<T>, void, void>
  }

export interface Client extends ServiceGroups {
  /** Returns the operations of an instance. This makes no request. */
  instance(credentials: InstanceCredentials): InstanceClient
}

const OWN: ReadonlySet<string> = new Set(['send', 'instance', 'messages'])

/**
 * Creates a client of one service. It keeps no connection and no timer.
 *
 * @example
 * const svc = createClient({ baseUrl: 'http://127.0.0.1:8080', apiKey })
 * const instance = svc.instance(await svc.account.createInstance({ name: 'Sales' }))
 * await instance.sendText({ phone: '5511999990000', message: 'Hello' })
 */
export function createClient(options: ConnectionOptions): Client {
  const requests = createRequests(options)
  return {
    ...(grouped(SERVICE_ROUTES, requests, '') as unknown as ServiceGroups),
    instance({ id, token }) {
      const prefix = `/instances/${encodeURIComponent(id)}/token/${encodeURIComponent(token)}`
      const groups = grouped(INSTANCE_ROUTES, requests, prefix)
      const parts = Object.entries(groups).map(([group, methods]) => (OWN.has(group) ? methods : { [group]: methods }))
      const events = <T extends EventType>(events: EventsOptions<T> = {}) => readEvents(requests, prefix, events)
      return Object.assign({}, ...parts, { events }) as InstanceClient
    },
  }
}

type Methods = Record<string, (input?: Input, options?: SendOptions) => Promise<unknown>>

/**
 * Makes a method for each route. The id of an operation is `group.method`, so each group becomes an object of methods.
 */
function grouped(routes: Readonly<Record<string, Route>>, requests: Requests, prefix: string): Record<string, Methods> {
  const groups: Record<string, Methods> = {}
  for (const [id, route] of Object.entries(routes)) {
    const [group = '', method = ''] = id.split('.')
    groups[group] = { ...groups[group], [method]: (input = {}, options = {}) => requests.call(route, prefix, input, options) }
  }
  return groups
}
