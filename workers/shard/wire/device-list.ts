/**
 * Queries the devices of people, because a message is encrypted for each device:
 *
 *   <iq xmlns="usync"><usync context="message"><query><devices version="2"/><lid/></query><list><user jid/>…</list></usync></iq>
 *     → <usync><list><user jid><devices><device-list><device id key-index? is_hosted?/>…</device-list></devices><lid val/>?</user>…
 */
import {
  assertNodeErrorFree,
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type JidServer,
  jidDecode,
} from '@whiskeysockets/baileys'
import { HOSTED_DEVICE } from './jid.ts'
import { errorIn, userAt, usyncQuery } from './usync.ts'

export interface Device {
  user: string
  server: JidServer
  device: number
}

export interface PersonDevices {
  jid: string
  /** LID of a person who was queried by number; null if there is none. */
  lid: string | null
  devices: Device[]
  /** Ids of devices to which no message can be addressed. If a message included one, it would fail for all devices. */
  unaddressable: string[]
}

export const devicesQuery = (jids: readonly string[], sid: string): BinaryNode =>
  usyncQuery(['devices', 'lid'], jids.map(userAt), sid, 'message')

/** Returns the devices of people. Throws if the network refused the query, wholly or for one person. */
export function devicesIn(answer: BinaryNode): PersonDevices[] {
  const usync = getBinaryNodeChild(answer, 'usync')
  const refusal = errorIn(getBinaryNodeChild(getBinaryNodeChild(usync, 'result'), 'devices'))
  if (refusal) assertNodeErrorFree({ tag: 'devices', attrs: {}, content: [refusal] })
  return getBinaryNodeChildren(getBinaryNodeChild(usync, 'list'), 'user').map(personIn)
}

function personIn(user: BinaryNode): PersonDevices {
  const { jid = '' } = user.attrs
  const devices = getBinaryNodeChild(user, 'devices')
  if (devices) assertNodeErrorFree(devices)
  const listed = getBinaryNodeChildren(getBinaryNodeChild(devices, 'device-list'), 'device')
  return {
    jid,
    lid: getBinaryNodeChild(user, 'lid')?.attrs.val || null,
    devices: listed.filter((device) => isAddressable(device) && hasKeys(device)).map((device) => deviceOf(jid, device)),
    unaddressable: listed.filter((device) => !isAddressable(device)).map(({ attrs }) => attrs.id ?? ''),
  }
}

const idOf = ({ attrs }: BinaryNode) => Number(attrs.id)
const isHosted = ({ attrs }: BinaryNode) => attrs.is_hosted === 'true'

function isAddressable(device: BinaryNode): boolean {
  const id = idOf(device)
  return Number.isInteger(id) && id >= 0 && (id < HOSTED_DEVICE || (id === HOSTED_DEVICE && isHosted(device)))
}

/**
 * Whether the keys of a device can be queried. The network refuses the query for a linked device without a key index.
 */
const hasKeys = (device: BinaryNode): boolean => idOf(device) === 0 || Number(device.attrs['key-index']) > 0

function deviceOf(jid: string, device: BinaryNode): Device {
  const { user = jid, server = 's.whatsapp.net' } = jidDecode(jid) ?? {}
  return { user, server: isHosted(device) ? (server === 'lid' ? 'hosted.lid' : 'hosted') : server, device: idOf(device) }
}
