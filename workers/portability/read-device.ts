/** Reads a linked device from the files of another program, and checks it. Writes nothing, and makes no connection. */
import type { DeviceBundle, ImportSource } from '../../src/domain/device-bundle.ts'
import { NotImportable } from '../../src/domain/not-importable.ts'
import { credsBytes } from '../shard/keys/signal/codec.ts'
import { readBaileys } from './baileys/folder.ts'
import { credentialsFrom } from './credentials.ts'
import { readKeys } from './keys.ts'
import type { LibraryState } from './library-state.ts'
import { type ImportReport, reportOf, sentencesOf } from './report.ts'
import { readHash } from './rows/hash.ts'
import { readOpenWa, readWaha } from './rows/key-rows.ts'
import { readWhatsmeow } from './tables/whatsmeow.ts'
import { readZapo } from './tables/zapo.ts'

export interface ReadDevice {
  bundle: DeviceBundle
  report: ImportReport
  sentences: readonly string[]
  /** Last write by the other program, in epoch ms; undefined if unknown. */
  writtenAt: number | undefined
}

export interface ReadChoice {
  isOld: boolean
  /** Name that the other program gives the device; needed if there are several. */
  device?: string | undefined
}

export type ProgramName = Exclude<ImportSource, 'svc'>

interface Source {
  read(path: string, device: string | undefined): Promise<LibraryState>
  hasDevices?: true
}

const SOURCES: Readonly<Record<ProgramName, Source>> = {
  baileys: { read: readBaileys },
  whatsmeow: { read: readWhatsmeow, hasDevices: true },
  zapo: { read: readZapo, hasDevices: true },
  evolution: { read: readHash },
  fazer: { read: readHash },
  openwa: { read: readOpenWa },
  waha: { read: readWaha },
}

/**
 * Reads the device in a file or folder. Rejects with `NotImportable`, or with the error of a file that cannot be read.
 */
export async function readDevice(from: ProgramName, path: string, { isOld, device }: ReadChoice): Promise<ReadDevice> {
  const source = SOURCES[from]
  if (device !== undefined && !source.hasDevices)
    throw new NotImportable([`The option device has no meaning for ${from}, whose data have one device.`])
  const state = await source.read(path, device)
  if (state.creds === undefined) throw new NotImportable(['There are no credentials in it.'])
  const creds = credentialsFrom(state.creds, highestPreKey(state))
  const { me, signedIdentityKey, registrationId } = creds
  const identityKey = Buffer.concat([Buffer.of(5), signedIdentityKey.public])
  const ownJids = [me!.id, ...(me!.lid ? [me!.lid] : [])]
  const { keys, counts } = readKeys(state.keys, { own: { identityKey, registrationId }, ownJids, isOld })
  const report = reportOf(from, counts, notesOn(state, isOld, creds.myAppStateKeyId !== undefined))
  return {
    bundle: { creds: credsBytes(creds), identity: Buffer.from(signedIdentityKey.public).toString('base64'), keys },
    report,
    sentences: sentencesOf(report),
    writtenAt: state.writtenAt,
  }
}

const highestPreKey = ({ keys }: LibraryState): number =>
  keys.reduce((highest, { type, id }) => (type === 'pre-key' && Number(id) > highest ? Number(id) : highest), 0)

function notesOn({ unknown }: LibraryState, isOld: boolean, hasStateKey: boolean): string[] {
  return [
    ...(isOld
      ? [
          'The device was used after this copy was made: sessions and your own group keys are created again, so that recipients do not drop your messages.',
        ]
      : []),
    ...(hasStateKey
      ? []
      : ['There is no key of the account settings: labels and names can be read when the phone has shared one.']),
    ...(unknown === 0 ? [] : [`${unknown} other files or fields were ignored.`]),
  ]
}
