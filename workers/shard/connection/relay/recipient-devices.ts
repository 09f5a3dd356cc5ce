/** Finds the devices to which a message is encrypted. Unknown device lists are queried from the network. */
import { type AuthenticationState, type BinaryNode, isPnUser, jidDecode, jidEncode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Device, devicesIn, devicesQuery, type PersonDevices } from '../../wire/device-list.ts'
import type { Group } from '../../wire/groups.ts'
import { bare, jidUser } from '../../wire/jid.ts'
import { participantHash } from '../../wire/phash.ts'
import type { DeviceLists, GroupDevices } from '../device-lists.ts'
import type { LidPair } from '../identity.ts'

export interface RecipientDevices {
  of(people: readonly string[]): Promise<Device[]>
  ofGroup(group: Group): Promise<GroupDevices>
}

export interface RecipientDevicesDeps {
  query(node: BinaryNode): Promise<BinaryNode>
  tag(): string
  auth: AuthenticationState
  lists: Pick<DeviceLists, 'known' | 'keep' | 'ofGroup'>
  learnPairs(pairs: readonly LidPair[]): Promise<void>
  log: Pick<Logger, 'debug'>
}

export const deviceJid = ({ user, server, device }: Device): string => jidEncode(user, server, device)

export const addressingOf = ({ addressingMode }: Pick<Group, 'addressingMode'>) => (addressingMode === 'pn' ? 'pn' : 'lid')

export function createRecipientDevices({ query, tag, auth, lists, learnPairs, log }: RecipientDevicesDeps): RecipientDevices {
  const { creds, keys } = auth

  const isThisDevice = ({ user, device }: Device) => {
    const { id = '', lid = '' } = creds.me ?? {}
    return device === (jidDecode(id)?.device ?? 0) && [id, lid].some((own) => jidUser(own) === user)
  }

  async function fetch(people: readonly string[]): Promise<Device[]> {
    const found = devicesIn(await query(devicesQuery(people, tag())))
    for (const { jid, unaddressable: devices } of found)
      if (devices.length > 0) log.debug({ jid, devices }, 'devices without a valid address are skipped')
    const listed = found.map((person) => ({ ...person, devices: person.devices.filter((one) => !isThisDevice(one)) }))
    await keep(listed.filter(({ devices }) => devices.length > 0))
    // The lists must be stored first, because learning a pair moves the sessions of the listed devices to the LID.
    const pairs = found.flatMap(({ jid, lid }) => (lid !== null && isPnUser(jid) ? [{ pn: jid, lid }] : []))
    if (pairs.length > 0) await learnPairs(pairs)
    return listed.flatMap(({ devices }) => devices)
  }

  /**
   * Caches device lists, and stores the ids of the devices: when a person moves from the number to the LID, the session
   * of each stored device is moved.
   */
  async function keep(listed: readonly PersonDevices[]) {
    for (const { jid, devices } of listed) lists.keep(jidUser(jid), devices)
    const ids = listed.map(({ jid, devices }) => [jidUser(jid), devices.map(({ device }) => String(device))])
    if (ids.length > 0) await keys.set({ 'device-list': Object.fromEntries(ids) })
  }

  async function of(people: readonly string[]): Promise<Device[]> {
    const names = [...new Set(people.map(bare))]
    const known = names.map((jid) => lists.known(jidUser(jid)))
    const unknown = names.filter((_, index) => known[index] === undefined)
    return [...known.flatMap((devices) => devices ?? []), ...(unknown.length === 0 ? [] : await fetch(unknown))]
  }

  return {
    of,
    ofGroup(group) {
      const own = ownNameIn(group, creds.me) ?? ''
      return lists.ofGroup(group, own, async (members) => {
        const jids = (await of(members)).map(deviceJid)
        return { jids, hash: participantHash([...jids, ...(own ? [own] : [])]) }
      })
    },
  }
}

/** Returns this device under the jid that messages to the group use: number or LID. */
export const ownNameIn = (group: Group, me: AuthenticationState['creds']['me']) =>
  addressingOf(group) === 'lid' ? (me?.lid ?? me?.id) : me?.id
