import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Instance } from '../harness/gateway.ts'
import { type Answer, ask } from '../harness/http.ts'
import { type FileSystem, mountSmallDisk, type SmallDisk } from '../harness/small-disk.ts'
import { type Ground, pause, startGround, until } from './ground.ts'
import { CONTACTS, createPeople, PHONE } from './traffic.ts'

export const MB = 1_024 * 1_024
export const RESERVE_MB = 24

export interface OnSmallDisk extends Ground {
  disk: SmallDisk
  instance: Instance
  ready(): Promise<Answer>
  untilReady(status: number): Promise<Answer>
}

export async function onSmallDisk(t: TestContext, kind: FileSystem, megabytes = 96): Promise<OnSmallDisk | undefined> {
  const disk = mountSmallDisk(kind, megabytes)
  if (typeof disk === 'string') {
    t.skip(disk)
    return undefined
  }
  t.after(() => disk.unmount())
  const ground = await startGround({}, { SVC_DATA_DIR: join(disk.dir, 'data'), SVC_DISK_RESERVE_MB: String(RESERVE_MB) })
  t.after(async () => {
    disk.release()
    await ground.stop()
  })
  const instance = await ground.gateway.connected(ground.sandbox, PHONE, ground.receiver)
  await createPeople(ground.sandbox)
  const ready = () => ask('GET', `${ground.service.printed.base_url}/health/ready`)
  return Object.assign(Object.create(ground, {}) as Ground, {
    disk,
    instance,
    ready,
    async untilReady(status: number) {
      let answer = await ready()
      await until(`ready is ${status}`, async () => {
        answer = await ready()
        return answer.status === status
      })
      return answer
    },
  })
}

export const errorOf = ({ body }: Answer) => body.error as { code: string; message: string; details: Record<string, unknown> }

/**
 * Fills the disk, and then sends large texts until the service refuses them. Resolves with the ids of the texts. No
 * event may be delivered in the meantime, because a delivery would free space.
 */
export async function fillUp({ disk, sandbox, ready }: OnSmallDisk): Promise<string[]> {
  const isFull = async () => String(errorOf(await ready())?.message).includes('is full')
  const ids: string[] = []
  for (let number = 1; number <= 600; number++) {
    if (number % 10 === 1) disk.fill()
    ids.push((await sandbox.send(CONTACTS[1], PHONE, { text: `${number} ${'x'.repeat(50_000)}` })).id)
    if (number % 10 !== 0) continue
    // On a busy machine the service would fall behind, and all texts would be sent before the disk is full.
    await until('the service keeps up', async () => (await sandbox.pending()) === 0 || (await isFull()))
    if (!(await isFull())) continue
    // The store may have freed a few pages in the meantime, which are enough for a few more texts. The service checks
    // the free disk space once a second, so the test waits.
    await pause(2_500)
    if (await isFull()) return ids
  }
  throw new Error('the disk did not fill up')
}
