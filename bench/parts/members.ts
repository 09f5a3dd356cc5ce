/** Starts members of a cluster on a PostgreSQL server of this machine, without a load balancer. */
import { freePort } from '../../test/faults/ground.ts'
import { createGateway, type Gateway } from '../../test/harness/gateway.ts'
import { type Cluster, startCluster } from '../../test/harness/postgres.ts'
import type { Running } from '../../test/harness/process.ts'
import { postgresEnv } from '../../test/harness/store-env.ts'
import { type Bench, UNLIMITED } from '../measure.ts'

export interface BenchMember {
  service: Running
  gateway: Gateway
}

export interface BenchMembers {
  postgres: Cluster
  /**
   * Starts a member. `name` is the name of the member and of its data folder. The base URL of all members is the
   * address of the first member.
   */
  start(name: string): Promise<BenchMember>
}

export async function prepareMembers(bench: Bench): Promise<BenchMembers> {
  const postgres = await startCluster({ shared_buffers: '128MB' })
  let common: { baseUrl: string; adminKey: string; apiKey: string } | undefined
  return {
    postgres,
    async start(name) {
      const [port, peerPort] = [await freePort(), await freePort()]
      const url = `http://127.0.0.1:${port}`
      const service = await bench.start(name, {
        ...UNLIMITED,
        ...postgresEnv(postgres.url(''), 'bench'),
        SVC_CLUSTER: 'on',
        SVC_NODE_NAME: name,
        SVC_BASE_URL: common?.baseUrl ?? url,
        SVC_PORT: String(port),
        SVC_PEER_PORT: String(peerPort),
        SVC_SHARDS: '1',
      })
      const adminKey = service.printed.admin_key ?? common!.adminKey
      const gateway = await createGateway(url, adminKey, common?.apiKey)
      common ??= { baseUrl: url, adminKey, apiKey: gateway.key }
      return { service, gateway }
    },
  }
}
