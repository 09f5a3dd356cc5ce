import assert from 'node:assert/strict'
import type { MessageCopy } from '../../packages/sandbox/src/testing.ts'
import type { Sandbox } from './sandbox.ts'
import { until } from './until.ts'

/**
 * Checks that this number of devices of the phone receive the message, and that each decrypts its first copy. Resolves
 * with the number of devices.
 */
export async function readByDevices(sandbox: Sandbox, phone: string, id: string, devices: number): Promise<number> {
  const copies = await until(
    async () => (await sandbox.get<{ items: MessageCopy[] }>(`/contacts/${phone}/copies/${id}`)).items,
    (items) => items.length >= devices,
  )
  assert.deepEqual(
    copies.map(({ device, read }) => ({ device, read })).sort((one, other) => one.device - other.device),
    Array.from({ length: devices }, (_, device) => ({ device, read: true })),
    `the copies of ${phone}`,
  )
  return devices
}
