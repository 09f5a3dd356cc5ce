/**
 * Starts several members of one cluster (`SVC_CLUSTER`) as separate processes: on one PostgreSQL, behind a load
 * balancer that does not know which member has which instance. Each member can be killed, stopped, suspended and
 * started again.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { schemaOf } from '../../src/domain/store-url.ts'
import { type Balancer, startBalancer } from '../harness/balancer.ts'
import { createGateway, type Gateway, type Instance } from '../harness/gateway.ts'
import { type Answer, ask, must } from '../harness/http.ts'
import { type Cluster, startCluster } from '../harness/postgres.ts'
import { networkEnv, run } from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { createSandbox, type Sandbox } from '../harness/sandbox.ts'
import { postgresEnv } from '../harness/store-env.ts'
import { until } from '../harness/until.ts'
import { untilReady } from '../harness/until-ready.ts'
import { createMember, type Member } from './cluster-member.ts'
import { freePort, stopRepeating } from './ground.ts'

export type { Member } from './cluster-member.ts'

export interface ClusterWorldOptions {
  /** Further environment variables of all members. */
  settings?: Record<string, string>
  /** Further environment variables of some members, by their names. */
  settingsOf?: Record<string, Record<string, string>>
  /** Settings of PostgreSQL. */
  ofPostgres?: Record<string, string>
  /** Program that the members run (`MemberOptions.program`). */
  program?: readonly string[]
  /** Names of members that the test starts itself. */
  later?: readonly string[]
  /**
   * True if the members connect through cables (`cable.ts`), which a test can silence. A cable makes each statement
   * slower.
   */
  hasCables?: boolean
}

export interface ListedMember {
  id: string
  name: string
  state: string
}

export interface ClusterWorld {
  /** The server that was started first. */
  postgres: Cluster
  sandbox: Sandbox
  receiver: Receiver
  balancer: Balancer
  /** Sends its requests through the balancer. */
  gateway: Gateway
  /** Resolves with a gateway that sends its requests to this member. */
  gatewayAt(member: Member): Promise<Gateway>
  /** The members that were started with the world. */
  members: readonly Member[]
  /** The members that a test starts itself. */
  later: readonly Member[]
  /** Resolves with the answer of this member to a request for an instance, whichever member has the instance. */
  askAt(member: Member, instance: Instance, method: string, path: string, body?: unknown): Promise<Answer>
  /** Runs SQL on the schema of the cluster, on a connection that no member uses. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /** Resolves with the members as `asked` lists them. */
  nodesAt(asked: Member): Promise<ListedMember[]>
  /**
   * Makes `member` leave the cluster by a request of an administrator to `asked`. Resolves when its process has ended
   * in order.
   */
  leave(member: Member, asked: Member): Promise<void>
  /** The member that has the instance; undefined if none has it. */
  homeOf(instance: Instance): Promise<Member | undefined>
  /** Number of instances that each member has, by its name. A member without instances is absent. */
  homes(): Promise<Record<string, number>>
  /** Waits until each of these members has reported each of these instances as connected, `ms` at most for each. */
  connected(instances: readonly Instance[], ms?: number, members?: readonly Member[]): Promise<void>
  /** Connects all members to this server of the database from now on. */
  useServer(server: Cluster): void
  stop(): Promise<void>
}

const SCHEMA = 'members'
const HOMES_OF_SERVICES = 'FROM svc_home h JOIN svc_service s ON s.writer = h.writer'
const HOMES = `SELECT s.name, count(*)::int AS homes ${HOMES_OF_SERVICES} GROUP BY s.name`
const HOME = `SELECT s.name ${HOMES_OF_SERVICES} WHERE h.instance = $1`

export async function startClusterWorld(names: readonly string[], options: ClusterWorldOptions = {}): Promise<ClusterWorld> {
  const { settings = {}, settingsOf = {}, later: laterNames = [], hasCables = false } = options
  const dir = await mkdtemp(join(tmpdir(), 'svc-members-'))
  const [postgres, receiver] = await Promise.all([startCluster(options.ofPostgres), startReceiver()])
  const network = await run(['--network-only'], { SVC_DATA_DIR: join(dir, 'network'), SVC_SANDBOX_PORT: '0' })
  const balancer = await startBalancer(await freePort())
  const common = {
    ...networkEnv(network.printed),
    SVC_CLUSTER: 'on',
    SVC_BASE_URL: balancer.url,
    SVC_SHARDS: '1',
    SVC_LOG_LEVEL: process.env.SVC_LOG_LEVEL ?? 'warn',
    ...settings,
  }
  const memberOf = (name: string, index: number) =>
    createMember({
      name,
      dir,
      common: { ...common, ...settingsOf[name] },
      schema: SCHEMA,
      postgres,
      ...(options.program ? { program: options.program } : {}),
      ...(hasCables ? { address: `127.0.0.${index + 2}` } : {}),
    })
  const all = await Promise.all([...names, ...laterNames].map(memberOf))
  const [members, later] = [all.slice(0, names.length), all.slice(names.length)]
  const first = await members[0]!.start()
  await Promise.all(members.slice(1).map((member) => member.start()))
  for (const { url } of all) balancer.add(url)
  await untilReady(balancer.url)
  const schema = schemaOf(postgresEnv(postgres.url(''), SCHEMA).SVC_STORE_URL!)
  let server = postgres
  /** A restart of the database ends all connections, so each query has a new one. */
  async function sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
    const client = await server.client(schema)
    try {
      return (await client.query<Record<string, unknown>>(text, values)).rows
    } finally {
      await client.end()
    }
  }

  const askAt: ClusterWorld['askAt'] = (member, instance, method, path, body) =>
    ask(method, `${member.url}${new URL(instance.api_url).pathname}${path}`, body)

  const gateway = await createGateway(balancer.url, first.printed.admin_key!)
  async function nodesAt({ url }: Member): Promise<ListedMember[]> {
    return (await must<{ data: ListedMember[] }>('GET', `${url}/admin/nodes`, undefined, gateway.admin)).data
  }
  return {
    postgres,
    sandbox: createSandbox(network.printed.sandbox_url!),
    receiver,
    balancer,
    gateway,
    gatewayAt: ({ url }) => createGateway(url, first.printed.admin_key!, gateway.key),
    members,
    later,
    askAt,
    sql,
    async homeOf({ id }) {
      const [home] = await sql(HOME, [id])
      return all.find(({ name }) => name === home?.name)
    },
    nodesAt,
    async leave(member, asked) {
      const left = async () => (await nodesAt(asked)).find(({ name, state }) => name === member.name && state === 'active')
      const { id } = (await until(left, (found) => found !== undefined))!
      await must('POST', `${asked.url}/admin/nodes/${id}/drain`, {}, gateway.admin)
      assert.deepEqual(await member.running().ended, { code: 0, signal: null })
    },
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
    useServer(next) {
      server = next
      for (const { cables } of all) cables!.database.leadTo({ path: next.socket })
    },
    async stop() {
      stopRepeating(gateway)
      await Promise.all(all.map((member) => member.stop()))
      await balancer.stop()
      await network.kill()
      await receiver.stop()
      await postgres.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
