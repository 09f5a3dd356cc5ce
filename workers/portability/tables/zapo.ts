/**
 * Reads the tables of zapo (`@zapo-js/store-sqlite`, and its PostgreSQL and MySQL stores). Signal records have the
 * format of libsignal.
 */
import { proto } from '@whiskeysockets/baileys'
import { NotImportable } from '../../../src/domain/not-importable.ts'
import type { LibraryKey, LibraryState } from '../library-state.ts'
import type { Row } from '../rows/json-lines.ts'
import {
  bytesIn,
  chosenRow,
  isTrue,
  libraryJson,
  libraryKey,
  mappingOf,
  stateKeyOf,
  textIn,
  tokenKeys,
  userOf,
  withKeyType,
} from './columns.ts'
import { openTables } from './tables.ts'

const DOMAINS: Readonly<Record<string, string>> = {
  's.whatsapp.net': '',
  lid: '_1',
  hosted: '_128',
  'hosted.lid': '_129',
}

export async function readZapo(path: string, session: string | undefined): Promise<LibraryState> {
  const tables = await openTables(path)
  const row = chosenRow(tables.rows('auth_credentials'), 'session_id', session)
  const { writtenAt } = tables
  if (!row) return { creds: undefined, keys: [], unknown: 0, writtenAt }
  if (isPrimary(row))
    throw new NotImportable(['The device is the primary one of its account, as a phone is, and not a linked one.'])
  const own = (table: string) => tables.rows(table).filter((each) => each.session_id === row.session_id)
  const preKeys = own('signal_prekey')
  const stateKeys = own('appstate_sync_keys')
  const privacy = own('privacy_tokens')
  const keys = [
    ...own('signal_session').map((each) =>
      libraryKey('session', `${nameOf(each.user, each.server)}.${each.device}`, bytesIn(each.record)),
    ),
    ...own('sender_keys').map((each) =>
      libraryKey(
        'sender-key',
        `${each.group_id}::${nameOf(each.sender_user, each.sender_server)}::${each.sender_device}`,
        bytesIn(each.record),
      ),
    ),
    ...own('signal_identity').map((each) =>
      libraryKey('identity-key', `${nameOf(each.user, each.server)}.${each.device}`, withKeyType(bytesIn(each.identity_key))),
    ),
    ...preKeys.map((each) => libraryKey('pre-key', String(each.key_id), pairIn(each.pub_key, each.priv_key))),
    // The column is in milliseconds, but the key needs seconds.
    ...stateKeys.map((each) => stateKeyOf(each, Math.floor(Number(each.timestamp) / 1_000))),
    ...own('mailbox_contacts').flatMap(mappings),
    ...tokens(privacy),
  ]
  const newest = own('signal_signed_prekey')[0]
  const next = Number(own('signal_meta')[0]?.next_prekey_id ?? 1)
  const creds = credentials({ row, signedPreKey: newest ?? signedPreKeyIn(row), preKeys, next, stateKeys, privacy })
  return { creds: libraryJson(creds), keys, unknown: 0, writtenAt }
}

/** Whether the device acts as a phone. Only zapo's code for phones writes these columns. */
const isPrimary = ({ device_info: info, year_class: year, mem_class: memory }: Row) =>
  [info, year, memory].some((value) => value !== null && value !== undefined)

const nameOf = (user: unknown, server: unknown) => `${user}${DOMAINS[String(server)] ?? `_${server}`}`

const pairIn = (publicKey: unknown, privateKey: unknown) => ({ public: bytesIn(publicKey), private: bytesIn(privateKey) })

/** Returns the signed pre-key of the pairing. It is used if the table with the newest one is empty. */
const signedPreKeyIn = (row: Row): Row => ({
  key_id: row.signed_prekey_id,
  pub_key: row.signed_prekey_pub_key,
  priv_key: row.signed_prekey_priv_key,
  signature: row.signed_prekey_signature,
})

interface Found {
  row: Row
  signedPreKey: Row
  preKeys: readonly Row[]
  next: number
  stateKeys: readonly Row[]
  privacy: readonly Row[]
}

function credentials({ row, signedPreKey, preKeys, next, stateKeys, privacy }: Found) {
  const signedIdentity = bytesIn(row.signed_identity)
  const waiting = preKeys.filter(({ uploaded }) => !isTrue(uploaded)).map(({ key_id: id }) => Number(id))
  const newest = stateKeys.reduce<Row | undefined>(
    (best, each) => (best && Number(best.key_epoch) >= Number(each.key_epoch) ? best : each),
    undefined,
  )
  const salt = privacy.map(({ nct_salt: bytes }) => bytesIn(bytes)).find((bytes) => bytes !== undefined)
  return {
    noiseKey: pairIn(row.noise_pub_key, row.noise_priv_key),
    signedIdentityKey: pairIn(row.identity_pub_key, row.identity_priv_key),
    signedPreKey: {
      keyPair: pairIn(signedPreKey.pub_key, signedPreKey.priv_key),
      signature: bytesIn(signedPreKey.signature),
      keyId: Number(signedPreKey.key_id),
    },
    registrationId: Number(row.registration_id),
    advSecretKey: bytesIn(row.adv_secret_key)?.toString('base64'),
    me: { id: textIn(row.me_jid), lid: textIn(row.me_lid), name: textIn(row.me_display_name) },
    account: signedIdentity && proto.ADVSignedDeviceIdentity.decode(signedIdentity).toJSON(),
    platform: textIn(row.platform),
    routingInfo: bytesIn(row.routing_info),
    registered: true,
    nextPreKeyId: next,
    firstUnuploadedPreKeyId: Math.min(next, ...waiting),
    myAppStateKeyId: bytesIn(newest?.key_id)?.toString('base64'),
    additionalData: salt && { chatTokenSalt: salt },
  }
}

function mappings({ jid, lid, phone_number: phone }: Row): LibraryKey[] {
  const addresses = [jid, lid, phone].flatMap((value) => textIn(value) ?? [])
  const hidden = addresses.find((address) => address.endsWith('@lid'))
  const number = addresses.find((address) => !address.endsWith('@lid'))
  return hidden !== undefined && number !== undefined ? mappingOf(userOf(number), userOf(hidden)) : []
}

const tokens = (rows: readonly Row[]): LibraryKey[] =>
  tokenKeys(
    rows.flatMap(({ jid, tc_token: token, tc_token_timestamp: timestamp, tc_token_sender_timestamp: senderTimestamp }) => {
      const bytes = bytesIn(token)
      return bytes ? [{ jid: String(jid), token: bytes, timestamp, senderTimestamp }] : []
    }),
  )
