/** Tests that the browser's name fits the kind of device for which a passkey linking makes its keys. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateRegistrationNode, initAuthCreds, proto } from '@whiskeysockets/baileys'
import { BROWSER, DEVICE_TYPE } from '../../../workers/shard/network/device.ts'

test('the library registers us as the kind of device that we say we are', () => {
  const payload = generateRegistrationNode(initAuthCreds(), {
    browser: BROWSER,
    version: [2, 3000, 1],
    syncFullHistory: false,
    countryCode: 'US',
  } as Parameters<typeof generateRegistrationNode>[1])
  const props = proto.DeviceProps.decode(payload.devicePairingData!.deviceProps!)
  assert.equal(props.platformType, DEVICE_TYPE)
})
