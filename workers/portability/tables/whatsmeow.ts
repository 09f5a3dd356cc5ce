/**
 * Reads the tables of whatsmeow (schema 8 to 15), which GOWA, WuzAPI, WAHA with its engine GOWS, and Matrix bridges
 * use. Sessions and sender keys have the format of libsignal.
 */
import type { LibraryKey, LibraryState } from '../library-state.ts'
import type { Row } from '../rows/json-lines.ts'
import {
  bytesIn,
  chosenRow,
  isTrue,
  keyPairOf,
  libraryJson,
  libraryKey,
  mappingOf,
  stateKeyOf,
  textIn,
  tokenKeys,
  withKeyType,
} from './columns.ts'
import { openTables } from './tables.ts'

export async function readWhatsmeow(path: string, device: string | undefined): Promise<LibraryState> {
  const tables = await openTables(path)
  const row = chosenRow(tables.rows('whatsmeow_device'), 'jid', device)
  const { writtenAt } = tables
  if (!row) return { creds: undefined, keys: [], unknown: 0, writtenAt }
  const own = (table: string, column = 'our_jid') => tables.rows(table).filter((each) => each[column] === row.jid)
  const preKeys = own('whatsmeow_pre_keys', 'jid')
  const stateKeys = own('whatsmeow_app_state_sync_keys', 'jid')
  const keys = [
    ...own('whatsmeow_sessions').map((each) => libraryKey('session', sessionId(each.their_id), bytesIn(each.session))),
    ...own('whatsmeow_sender_keys').map((each) =>
      libraryKey('sender-key', `${each.chat_id}::${senderId(each.sender_id)}`, bytesIn(each.sender_key)),
    ),
    ...own('whatsmeow_identity_keys').map((each) =>
      libraryKey('identity-key', sessionId(each.their_id), withKeyType(bytesIn(each.identity))),
    ),
    ...preKeys.map((each) => libraryKey('pre-key', String(each.key_id), keyPairOf(bytesIn(each.key)))),
    ...stateKeys.map((each) => stateKeyOf(each, Number(each.timestamp))),
    ...tables.rows('whatsmeow_lid_map').flatMap(({ lid, pn }) => mappingOf(String(pn), String(lid))),
    ...tokens(own('whatsmeow_privacy_tokens')),
  ]
  const salt = bytesIn(own('whatsmeow_nct_salt')[0]?.salt)
  return { creds: libraryJson(credentials(row, preKeys, stateKeys, salt)), keys, unknown: 0, writtenAt }
}

function credentials(row: Row, preKeys: readonly Row[], stateKeys: readonly Row[], salt: Buffer | undefined) {
  const ids = preKeys.map(({ key_id: id }) => Number(id))
  const nextPreKeyId = Math.max(0, ...ids) + 1
  const waiting = preKeys.filter(({ uploaded }) => !isTrue(uploaded)).map(({ key_id: id }) => Number(id))
  const newest = stateKeys.reduce<Row | undefined>(
    (best, each) => (best && Number(best.timestamp) >= Number(each.timestamp) ? best : each),
    undefined,
  )
  const account = {
    details: bytesIn(row.adv_details),
    accountSignature: bytesIn(row.adv_account_sig),
    accountSignatureKey: bytesIn(row.adv_account_sig_key),
    deviceSignature: bytesIn(row.adv_device_sig),
  }
  return {
    noiseKey: keyPairOf(bytesIn(row.noise_key)),
    signedIdentityKey: keyPairOf(bytesIn(row.identity_key)),
    signedPreKey: {
      keyPair: keyPairOf(bytesIn(row.signed_pre_key)),
      signature: bytesIn(row.signed_pre_key_sig),
      keyId: Number(row.signed_pre_key_id),
    },
    registrationId: Number(row.registration_id),
    advSecretKey: bytesIn(row.adv_key)?.toString('base64'),
    me: { id: String(row.jid).replace(/^(\d+)\.0:/, '$1:'), lid: textIn(row.lid), name: textIn(row.push_name) },
    account: account.details && account,
    platform: textIn(row.platform),
    registered: true,
    nextPreKeyId,
    firstUnuploadedPreKeyId: Math.min(nextPreKeyId, ...waiting),
    myAppStateKeyId: bytesIn(newest?.key_id)?.toString('base64'),
    additionalData: salt && { chatTokenSalt: salt },
  }
}

const tokens = (rows: readonly Row[]): LibraryKey[] =>
  tokenKeys(
    rows.flatMap(({ their_jid: jid, token, timestamp, sender_timestamp: senderTimestamp }) => {
      const bytes = bytesIn(token)
      return bytes ? [{ jid: String(jid), token: bytes, timestamp, senderTimestamp }] : []
    }),
  )

/** Converts the address `name:device` to the id of a session. The name already contains the suffix of a LID. */
const sessionId = (address: unknown) => String(address).replace(/:(\d+)$/, '.$1')
const senderId = (address: unknown) => String(address).replace(/:(\d+)$/, '::$1')
