/**
 * The processes of the fault tests: the network in one, the service in another that can be killed and started again on the same data and port, and
 * the webhook receiver in this process, which survives both.
 */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ack, createGateway, type Gateway, type Instance } from '../harness/gateway.ts'
import { networkEnv, type Running, run } from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { createSandbox, type Sandbox } from '../harness/sandbox.ts'
import { storeEnv } from '../harness/store-env.ts'

export interface Ground {
  sandbox: Sandbox
  receiver: Receiver
  gateway: Gateway
  /** Path of the service's data folder. */
  dataDir: string
  /** Environment variables of a service on the same network. */
  onNetwork: Record<string, string>
  /** Starts the service on the same data and port; `more` are additional environment variables. */
  start(more?: Record<string, string>): Promise<Running>
  /** The service that was started last. */
  readonly service: Running
  /**
   * Number of messages that could not be read at first, over all starts; undefined if the log goes to the terminal
   * (SVC_LOG_LEVEL).
   */
  unreadable(): number | undefined
  stop(): Promise<void>
}

/** The inbox logs this message for each unreadable message. */
const UNREADABLE = 'a message could not be decrypted or decoded'

/** Interval between two checks of a state without a notification, in ms. */
const LOOK = 20

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Repeats the check until it is true; the deadline ends the test with the name of the missing thing. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, ms = 60_000): Promise<void> {
  const deadline = Date.now() + ms
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`this did not happen within ${ms} ms: ${what}`)
    await pause(LOOK)
  }
}

/**
 * A free port. It is fixed for a test, so that `api_url` stays valid over restarts, and below the ports that systems assign (32,768 and up), so that
 * no program takes it while the service is down.
 */
async function freePort(): Promise<number> {
  const port = randomInt(10_000, 30_000)
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!isFree) return freePort()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/**
 * Starts the processes. `onNetwork` and `onService` are additional environment variables, of the network's process and
 * of each start of the service.
 */
export async function startGround(
  onNetwork: Record<string, string> = {},
  onService: Record<string, string> = {},
): Promise<Ground> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-faults-'))
  const receiver = await startReceiver()
  const network = await run(['--network-only'], { ...onNetwork, SVC_DATA_DIR: join(dir, 'network'), SVC_SANDBOX_PORT: '0' })
  const port = await freePort()
  const env = {
    ...networkEnv(network.printed),
    SVC_DATA_DIR: join(dir, 'service'),
    SVC_PORT: String(port),
    SVC_SHARDS: '1',
    SVC_LOG_LEVEL: process.env.SVC_LOG_LEVEL ?? 'warn',
    ...storeEnv(join(dir, 'service')),
    ...onService,
  }
  let unreadable = 0
  let service = await start({})

  async function start(more: Record<string, string>) {
    const running = await run([], { ...env, ...more })
    running.child.stderr?.on('data', (chunk: Buffer) => {
      unreadable += chunk.toString().split(UNREADABLE).length - 1
    })
    return running
  }

  const gateway = await createGateway(service.printed.base_url!, service.printed.admin_key!)
  return {
    sandbox: createSandbox(network.printed.sandbox_url!),
    receiver,
    gateway,
    dataDir: env.SVC_DATA_DIR,
    onNetwork: networkEnv(network.printed),
    get service() {
      return service
    },
    unreadable: () => (process.env.SVC_LOG_LEVEL ? undefined : unreadable),
    async start(more = {}) {
      service = await start(more)
      return service
    },
    async stop() {
      stopped.add(gateway)
      const { unknown_queries } = await createSandbox(network.printed.sandbox_url!).stats()
      await service.kill()
      await network.kill()
      await receiver.stop()
      await rm(dir, { recursive: true, force: true })
      assert.deepEqual(unknown_queries, [], 'queries the network did not know')
      assert.deepEqual(receiver.problems, [], 'webhooks that were not as promised')
    },
  }
}

/** Clients of a failed test must not continue: they would keep its process alive until the runner's deadline. */
const stopped = new WeakSet<Gateway>()

/**
 * Sends as a correct client does: it repeats requests that were not acknowledged. It stops at any answer other than
 * success, 503 and 429: only an acknowledgement counts.
 */
export async function sendUntilAcknowledged(gateway: Gateway, instance: Instance, phone: string, message: string): Promise<Ack> {
  for (;;) {
    if (stopped.has(gateway)) throw new Error('the service and the network of this test were already stopped')
    const answer = await gateway.ask(instance, 'POST', '/send-text', { phone, message }).catch((error: unknown) => {
      // `fetch` throws these errors when a connection breaks.
      if (error instanceof TypeError || error instanceof SyntaxError) return undefined
      throw error
    })
    if (answer !== undefined && answer.status < 300) return answer.body as unknown as Ack
    if (answer !== undefined && answer.status !== 503 && answer.status !== 429) {
      throw new Error(`POST /send-text: ${answer.status} ${JSON.stringify(answer.body)}`)
    }
    await pause(answer?.status === 429 ? 1_000 : 50)
  }
}
