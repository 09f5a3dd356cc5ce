import { z } from 'zod'
import { iso } from '../../domain/clock.ts'
import { Failure } from '../../domain/failures.ts'
import { type ListedNode, NODE_STATES, TAKEOVER_CAUSES } from '../../domain/nodes.ts'
import { pageOf } from '../../domain/page.ts'
import { addressText } from '../../domain/standby-address.ts'
import { local } from '../endpoint.ts'
import { Done, instant, paged, paging, uuid } from '../fields.ts'
import type { AccountCall } from '../parts.ts'

const Node = z
  .object({
    id: z.string().meta({ description: 'UUID of this run of the service; the next start has another one.' }),
    name: z.string().meta({ description: '`SVC_NODE_NAME`, or the name of the machine.' }),
    address: z
      .string()
      .nullable()
      .meta({ description: 'Where the other services pass requests on to it; null without `SVC_PEER_PORT`.' }),
    release: z.string().meta({ description: 'Version of its software.' }),
    state: z.enum(NODE_STATES).meta({
      description:
        '`active`: has accounts. `leaving`: a member of a cluster that gives its accounts to the others, and then ends. `standby`: waits, and can take over. `lost`: was killed or cannot reach the database; it is removed from the list after an hour.',
    }),
    instances: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Number of instances that it has, of all workspaces; null for a standby and a lost service.' }),
    since: instant.meta({ description: 'Time since which it has this state.' }),
    last_seen_at: instant.meta({ description: 'Time of its last sign of life, which it gives once a second.' }),
    takeover: z
      .object({
        from: z.string().nullable().meta({ description: 'Name of the service that was active before, if known.' }),
        cause: z
          .enum(TAKEOVER_CAUSES)
          .meta({ description: '`planned`: that one stopped in order. `failure`: it no longer ran.' }),
      })
      .nullable()
      .meta({ description: 'How it became active; null for a standby, and for a service that found the store unused.' }),
  })
  .meta({ id: 'Node' })

const render = ({ id, name, address, release, state, instances, since, seenAt, takeover }: ListedNode) => ({
  id,
  name,
  address: address === undefined ? null : addressText(address),
  release,
  state,
  instances: instances ?? null,
  since: iso(since),
  last_seen_at: iso(seenAt),
  takeover: takeover === undefined ? null : { from: takeover.from ?? null, cause: takeover.cause },
})

const example = {
  id: '9c3f2d1e-6b47-4a58-8f1c-0d2e4b6a8c10',
  name: 'node-a',
  address: '10.0.0.1:8090',
  release: '1.0.0',
  state: 'active',
  instances: 12,
  since: '2026-01-31T12:00:00.000Z',
  last_seen_at: '2026-01-31T14:30:00.000Z',
  takeover: { from: 'node-b', cause: 'failure' },
}

/**
 * Refuses a caller who is not the operator. The services host the accounts of all workspaces, so a customer with a
 * workspace of their own must neither see nor stop them.
 */
function refuseCustomers({ parts, workspace }: AccountCall): void {
  if (!parts.account.isOperators(workspace))
    throw new Failure('not_allowed', {
      message: 'Only the first workspace of the service, which is that of its operator, may do this.',
    })
}

export const listNodes = local('admin.listNodes', 'GET /admin/nodes', {
  access: 'admin',
  summary: 'List the services on the store, the active one first',
  description:
    'A store in PostgreSQL can have one active service and standbys that wait to take over from it, or several active services (`SVC_CLUSTER`). Any other store has only the service that answers. Only the admin key of the first workspace may read the list. All times are by the clock of the store.',
  input: paging({ default: 20, max: 500 }),
  reply: paged(Node),
  errors: ['not_allowed'],
  async handle(call, query) {
    refuseCustomers(call)
    return pageOf(await call.parts.nodes.list(), query, render)
  },
  examples: [
    {
      name: 'a pair',
      input: { page: '1' },
      reply: {
        data: [
          example,
          {
            ...example,
            id: '1b7e5a90-3c2d-4e6f-9a8b-7c5d3e1f2a40',
            name: 'node-b',
            address: '10.0.0.2:8090',
            state: 'standby',
            instances: null,
            since: '2026-01-31T12:04:00.000Z',
            takeover: null,
          },
        ],
        page: 1,
        page_size: 20,
        total: 2,
      },
    },
    {
      name: 'a cluster whose second member leaves',
      input: { page: '1' },
      reply: {
        data: [
          { ...example, takeover: null },
          {
            ...example,
            id: '1b7e5a90-3c2d-4e6f-9a8b-7c5d3e1f2a40',
            name: 'node-b',
            address: '10.0.0.2:8090',
            state: 'leaving',
            instances: 3,
            since: '2026-01-31T14:29:58.000Z',
            takeover: null,
          },
        ],
        page: 1,
        page_size: 20,
        total: 2,
      },
    },
  ],
})

export const drainNode = local('admin.drainNode', 'POST /admin/nodes/{node_id}/drain', {
  access: 'admin',
  summary: 'Hand over to a standby, or have a member leave its cluster',
  description:
    'The active service finishes its requests, closes the sessions of the accounts without a logout, and ends its process; a standby takes over, usually within a second. The supervisor of the ' +
    'process must start it again, although its exit code is 0; it is then the standby. Use it before maintenance of a machine, and to upgrade one service after the other. Refused with `not_allowed` while no standby ' +
    'answers that it can take over, for a service that is not active or would not be a standby after its next start, and for the admin key of any workspace but the first. The answer comes before the handover. ' +
    'A member of a cluster (`SVC_CLUSTER`) gives its accounts to the other members and ends; it may be named in a request to any member. Refused with `not_allowed` if there is no other member, or if the named one does not answer.',
  input: { node_id: uuid.meta({ description: 'The active service, or a member of the cluster.' }) },
  reply: Done,
  errors: ['not_found', 'not_allowed'],
  async handle(call, { node_id }) {
    refuseCustomers(call)
    const { workspace, source: address } = call
    await call.parts.nodes.drain(node_id, { workspace, address })
    return { value: true } as const
  },
  examples: [{ name: 'before maintenance', input: { node_id: example.id }, reply: { value: true } }],
})
