/** Moves a person's sessions from the number to the LID, device by device. */
import {
  isHostedLidUser,
  isHostedPnUser,
  isLidUser,
  isPnUser,
  jidDecode,
  type SignalKeyStore,
  transferDevice,
} from '@whiskeysockets/baileys'
import type { KeyChange, KeyStore } from '../key-store.ts'
import { addressId, literalAddress } from './address/address-book.ts'
import type { AddressLocks } from './address/address-locks.ts'
import type { OwnDevice } from './session-json.ts'
import { isOpen, mergeSessions, usableSession } from './session-record.ts'

const HOSTED_DEVICE = '99'

interface Mover {
  keys: KeyStore
  locks: AddressLocks
  own: () => OwnDevice
}

interface Migration {
  migrated: number
  skipped: number
  total: number
}

export async function migrateSessions(
  { keys, view, locks, own }: { keys: KeyStore; view: SignalKeyStore; locks: AddressLocks; own: () => OwnDevice },
  fromJid: string,
  toJid: string,
): Promise<Migration> {
  if (!fromJid || (!isLidUser(toJid) && !isHostedLidUser(toJid))) return { migrated: 0, skipped: 0, total: 0 }
  if (!isPnUser(fromJid) && !isHostedPnUser(fromJid)) return { migrated: 0, skipped: 0, total: 1 }

  const { user, device } = jidDecode(fromJid)!
  // An imported device may have sessions with a person but no stored device list of this person. So the device in the
  // jid is always included.
  const { [user]: listed = [] } = await view.get('device-list', [user])
  const devices = new Set([...listed, String(device ?? 0)])

  let migrated = 0
  let total = 0
  for (const id of devices) {
    const pnJid = id === '0' ? `${user}@s.whatsapp.net` : `${user}:${id}@${id === HOSTED_DEVICE ? 'hosted' : 's.whatsapp.net'}`
    const from = addressId(literalAddress(pnJid))
    if (!(await keys.get('session', from))) continue
    total += 1
    const to = addressId(literalAddress(hostedAsWell(transferDevice(pnJid, toJid), id)))
    if (await moveSession({ keys, locks, own }, from, to)) migrated += 1
  }
  return { migrated, skipped: total - migrated, total }
}

/**
 * Returns the jid of a device under the LID. Hosted devices have the server part `hosted.lid`, even if the LID of the
 * person has the server part `lid`.
 */
const hostedAsWell = (lidJid: string, device: string) =>
  device === HOSTED_DEVICE ? lidJid.replace(/@(hosted\.)?lid$/, '@hosted.lid') : lidJid

function moveSession({ keys, locks, own }: Mover, from: string, to: string): Promise<boolean> {
  return locks.run([from, to], async () => {
    const moving = usableSession(await keys.get('session', from), own)
    if (!moving || !isOpen(moving)) return false
    const there = usableSession(await keys.get('session', to), own)
    const changes: KeyChange[] = [
      ['session', from, null],
      ['session', to, there ? mergeSessions(there, moving) : moving],
    ]
    const identity = await keys.get('identity-key', from)
    if (identity) {
      changes.push(['identity-key', from, null])
      if (!(await keys.get('identity-key', to))) changes.push(['identity-key', to, identity])
    }
    await keys.commit(changes)
    return true
  })
}
