/**
 * Several members of one cluster (`SVC_CLUSTER`) as separate processes: on one PostgreSQL, behind a load balancer that
 * knows nothing of instances. Each member can be killed, stopped, suspended and started again.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Balancer, startBalancer } from '../harness/balancer.ts'
import { createGateway, type Gateway, type Instance } from '../harness/gateway.ts'
import { type Answer, ask } from '../harness/http.ts'
import { type Cluster, startCluster } from '../harness/postgres.ts'
import { networkEnv, type Running, run } from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { createSandbox, type Sandbox } from '../harness/sandbox.ts'
import { postgresEnv } from '../harness/store-env.ts'
import { until } from '../harness/until.ts'
import { freePort } from './ground.ts'

export interface Member {
  name: string
  url: string
  /** Resolves when the member is up. */
  start(): Promise<Running>
  /** The last start. */
  running(): Running
}

export interface ClusterWorld {
  postgres: Cluster
  sandbox: Sandbox
  receiver: Receiver
  balancer: Balancer
  /** Its requests go through the balancer. */
  gateway: Gateway
  members: readonly Member[]
  /** The answer of this member to a request for an instance, wherever the instance is. */
  askAt(member: Member, instance: Instance, method: string, path: string, body?: unknown): Promise<Answer>
  /** Runs SQL on the schema of the cluster, on a connection that no member uses. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /** Number of instances that each member has, by its name. */
  homes(): Promise<Record<string, number>>
  /** Waits until all these instances are connected, as each of these members says. */
  connected(instances: readonly Instance[], ms?: number, members?: readonly Member[]): Promise<void>
  stop(): Promise<void>
}

const SCHEMA = 'members'
const HOMES = `SELECT s.name, count(*)::int AS homes FROM svc_home h JOIN svc_service s ON s.writer = h.writer GROUP BY s.name`

/** `settings`: further environment variables of all members. */
export async function startClusterWorld(names: readonly string[], settings: Record<string, string> = {}): Promise<ClusterWorld> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-members-'))
  const [postgres, receiver] = await Promise.all([startCluster(), startReceiver()])
  const network = await run(['--network-only'], { SVC_DATA_DIR: join(dir, 'network'), SVC_SANDBOX_PORT: '0' })
  const balancer = await startBalancer(await freePort())
  const store = postgresEnv(postgres.url(''), SCHEMA)
  const common = {
    ...networkEnv(network.printed),
    ...store,
    SVC_CLUSTER: 'on',
    SVC_BASE_URL: balancer.url,
    SVC_SHARDS: '1',
    SVC_LOG_LEVEL: process.env.SVC_LOG_LEVEL ?? 'warn',
    ...settings,
  }
  const started: Running[] = []

  async function memberOf(name: string): Promise<Member> {
    const [port, peerPort] = [await freePort(), await freePort()]
    let current: Running | undefined
    return {
      name,
      url: `http://127.0.0.1:${port}`,
      running: () => current!,
      async start() {
        const own = {
          SVC_NODE_NAME: name,
          SVC_DATA_DIR: join(dir, name),
          SVC_PORT: String(port),
          SVC_PEER_PORT: String(peerPort),
        }
        current = await run([], { ...common, ...own })
        started.push(current)
        return current
      },
    }
  }

  const members: Member[] = []
  for (const name of names) members.push(await memberOf(name))
  const first = await members[0]!.start()
  await Promise.all(members.slice(1).map((member) => member.start()))
  for (const { url } of members) balancer.add(url)
  const ready = (url: string) => ask('GET', `${url}/health/ready`).catch(() => ({ status: 0 }))
  await until(
    () => ready(balancer.url),
    ({ status }) => status === 200,
  )
  const schema = new URL(store.SVC_STORE_URL!).searchParams.get('schema')!
  /** A restart of the database ends all connections, so each query has a new one. */
  async function sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
    const client = await postgres.client(schema)
    try {
      return (await client.query<Record<string, unknown>>(text, values)).rows
    } finally {
      await client.end()
    }
  }

  const askAt: ClusterWorld['askAt'] = (member, instance, method, path, body) =>
    ask(method, `${member.url}${new URL(instance.api_url).pathname}${path}`, body)

  return {
    postgres,
    sandbox: createSandbox(network.printed.sandbox_url!),
    receiver,
    balancer,
    gateway: await createGateway(balancer.url, first.printed.admin_key!),
    members,
    askAt,
    sql,
    homes: async () => Object.fromEntries((await sql(HOMES)).map(({ name, homes }) => [String(name), Number(homes)])),
    async connected(instances, ms = 60_000, asked = members) {
      const statusAt = async (member: Member, instance: Instance) =>
        (await askAt(member, instance, 'GET', '/status').catch(() => undefined))?.body.status
      for (const member of asked)
        for (const instance of instances)
          await until(
            () => statusAt(member, instance),
            (status) => status === 'connected',
            ms,
          )
    },
    async stop() {
      for (const { child } of started) child.kill('SIGCONT')
      await Promise.all(started.map((running) => running.kill()))
      await balancer.stop()
      await network.kill()
      await receiver.stop()
      await postgres.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
