/** Checks which devices of a person could decrypt a message. */
import assert from 'node:assert/strict'
import type { MessageCopy } from '../../workers/simulator/control/network-control.ts'
import type { Sandbox } from './sandbox.ts'
import { until } from './until.ts'

/**
 * Waits until each of these devices of a person has received the message. Checks that each device could decrypt it at
 * once, so that no device has requested the message again. Resolves with the number of devices.
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
