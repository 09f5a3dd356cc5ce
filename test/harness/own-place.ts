/** Starts a network in its own thread and a service with real shards, in this process. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { startService } from '../../src/main.ts'
import { startSandboxThread } from './network.ts'
import type { Place, PlaceOptions } from './place.ts'
import { loggingEnv } from './secrets.ts'
import { storeEnv } from './store-env.ts'

const STOP = 5_000

export async function openPlace({ shards = 1, env = {}, untraced = false }: PlaceOptions = {}): Promise<Place> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-world-'))
  const { network, controlUrl, stop } = await startSandboxThread({
    dataDir: join(dir, 'network'),
    controlPort: 0,
    ...(untraced ? { trace: undefined } : {}),
  })
  /**
   * Port of the service. The first start chooses a free one, and later starts use it again, so that addresses stay
   * valid.
   */
  let port = '0'
  let service = await serve().catch(async (error) => {
    // If a part fails to start, the other parts would keep the process alive forever, so they are stopped.
    await stop()
    throw error
  })
  const { baseUrl } = service
  const adminKey = service.adminKey!
  port = new URL(baseUrl).port

  function serve() {
    const { url, root, ca, media_host } = network
    const { config } = readConfig({
      env: {
        PATH: process.env.PATH ?? '',
        SVC_PORT: port,
        SVC_DATA_DIR: dir,
        ...storeEnv(dir),
        SVC_SHARDS: String(shards),
        ...loggingEnv(),
        SVC_NETWORK_URL: url,
        SVC_NETWORK_ROOT: root,
        SVC_NETWORK_CA: ca,
        SVC_NETWORK_MEDIA_HOST: media_host,
        SVC_INSTANCE_SLOTS: '500',
        SVC_EGRESS_ALLOW: '127.0.0.0/8,::1',
        SVC_TEST_SPARE_MEMORY: process.env.SVC_TEST_SPARE_MEMORY,
        ...env,
      },
    })
    return startService(config, { log: createLog(config.logging, 'main'), allowCrash: true, sandboxUrl: controlUrl })
  }

  return {
    network,
    controlUrl,
    dir,
    baseUrl,
    adminKey,
    service: () => service,
    stopService: () => service.stop(STOP),
    async startService() {
      service = await serve()
    },
    async end() {
      await service.stop(STOP)
      await stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
