/**
 * Starts the processes of the fault tests. The service can be killed, and started again on the same data and port. The
 * webhook receiver runs in the process of the test, so kills do not end it.
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
  dataDir: string
  onNetwork: Record<string, string>
  /** Starts the service with the same data and port as before. `more`: additional environment variables. */
  start(more?: Record<string, string>): Promise<Running>
  readonly service: Running
  /**
   * Number of messages that could not be decrypted at first, over all starts. Undefined if SVC_LOG_LEVEL is set,
   * because the test cannot read the log then.
   */
  unreadable(): number | undefined
  stop(): Promise<void>
}

const UNREADABLE = 'a message could not be decrypted or decoded'

/** Interval in ms between two checks of a state that no notification reports. */
const LOOK = 20

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Waits until `isSo` returns true. The test fails after `ms`, and the error contains `what`. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, ms = 60_000): Promise<void> {
  const deadline = Date.now() + ms
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`this did not happen within ${ms} ms: ${what}`)
    await pause(LOOK)
  }
}

/**
 * Returns a free port below those that systems assign (32,768 and up), so that the system gives the port to no other
 * program between two starts.
 */
export async function freePort(): Promise<number> {
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
 * Starts the network, the service and the receiver. `onNetwork` and `onService`: additional environment variables of
 * the network and of the service.
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
      stopRepeating(gateway)
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

/**
 * Gateway clients of tests that have ended. They must no longer repeat requests, because they would keep the process
 * alive until the deadline of the test runner.
 */
const stopped = new WeakSet<Gateway>()

/** Ends the repetition of requests of this client. Must be called when the service or the balancer of a test stops. */
export const stopRepeating = (gateway: Gateway) => {
  stopped.add(gateway)
}

/**
 * Sends a text, and repeats the request until the service acknowledges it, as a correct client does. Throws at any
 * answer other than success, 503 and 429.
 */
export async function sendUntilAcknowledged(gateway: Gateway, instance: Instance, phone: string, message: string): Promise<Ack> {
  for (;;) {
    if (stopped.has(gateway)) throw new Error('the service and the network of this test were already stopped')
    const answer = await gateway.ask(instance, 'POST', '/send-text', { phone, message }).catch((error: unknown) => {
      // When the connection breaks, `fetch` and the parser of the answer throw these errors. The request is then
      // repeated.
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
