/** A member of a cluster as a process that a test kills, stops, suspends and starts again. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Cable, startCable } from '../harness/cable.ts'
import { START } from '../harness/checkout.ts'
import type { Cluster } from '../harness/postgres.ts'
import { type Running, run } from '../harness/process.ts'
import { postgresEnv } from '../harness/store-env.ts'
import { freePort } from './ground.ts'

export interface Member {
  name: string
  url: string
  /** The cables from the member to the database, and from the other members to this one. */
  cables?: { database: Cable; link: Cable }
  /** Sets the program (`args` of `run`) that later starts of the member run. */
  setProgram(program: readonly string[]): void
  /** Resolves when the member is up. `more`: further environment variables. */
  start(more?: Record<string, string>): Promise<Running>
  /** Returns the process that was started last. */
  running(): Running
  isUp(): boolean
  /**
   * Waits until the process of the member has ended, and starts it again, as a supervisor does. Rejects if five starts
   * in succession fail.
   */
  startAgain(): Promise<void>
  stop(): Promise<void>
}

export interface MemberOptions {
  name: string
  /** Folder in which each member has a folder of its own. */
  dir: string
  /** Variables of all members. */
  common: Record<string, string>
  schema: string
  postgres: Cluster
  /** Program that the member runs, as `args` of `run`. By default, this is the program of the checkout. */
  program?: readonly string[]
  /**
   * Address of the member on the loopback interface. Without it the member has no `cables`, so its connections cannot
   * be interrupted.
   */
  address?: string
}

/**
 * Maximum number of attempts to start a member again. An attempt may fail, for example because the database does not
 * accept connections yet.
 */
const STARTS = 5

export async function createMember(options: MemberOptions): Promise<Member> {
  const { name, dir, common, schema, postgres, address } = options
  let { program = START } = options
  const [port, peerPort] = [await freePort(), await freePort()]
  const cables = address === undefined ? undefined : await startCables(postgres, address, peerPort)
  const url = cables ? `postgres://svc@127.0.0.1:${cables.database.port}/postgres` : postgres.url('')
  const own = {
    ...postgresEnv(url, schema),
    ...(address === undefined ? {} : { SVC_STANDBY_ADDRESS: address }),
    SVC_NODE_NAME: name,
    SVC_DATA_DIR: join(dir, name),
    SVC_PORT: String(port),
    SVC_PEER_PORT: String(peerPort),
  }
  const started: Running[] = []
  const running = () => started.at(-1)!
  const isUp = () => running().child.exitCode === null && running().child.signalCode === null

  async function start(more: Record<string, string> = {}): Promise<Running> {
    await cables?.link.open()
    const current = await run([], { ...common, ...own, ...more }, program)
    started.push(current)
    // The address then refuses connections, as a machine without the process does. So the others see that the member
    // has ended.
    void current.ended.then(() => cables?.link.close())
    return current
  }

  return {
    name,
    url: `http://127.0.0.1:${port}`,
    ...(cables ? { cables } : {}),
    setProgram(next) {
      program = next
    },
    start,
    running,
    isUp,
    async startAgain() {
      await running().ended
      await cables?.link.close()
      for (let left = STARTS; ; left--) {
        const failed = await start().then(
          () => undefined,
          (error: Error) => error,
        )
        if (failed === undefined) return
        if (left === 1) throw failed
        process.stdout.write(`# ${name} was not up: ${failed.message.slice(-300)}\n`)
        await pause(1_000)
      }
    },
    async stop() {
      for (const { child } of started) child.kill('SIGCONT')
      await Promise.all(started.map((each) => each.kill()))
      await cables?.link.close()
      await cables?.database.close()
    },
  }
}

async function startCables(postgres: Cluster, host: string, peerPort: number): Promise<{ database: Cable; link: Cable }> {
  const link = await startCable({ host: '127.0.0.1', port: peerPort }, { host, port: peerPort })
  return { database: await startCable({ path: postgres.socket }), link }
}
