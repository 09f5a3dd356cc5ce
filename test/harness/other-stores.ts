/**
 * Converts a device of Baileys to the tables in which whatsmeow (schema 15) and zapo (store-sqlite 1.3.0) store a
 * linked device. Tables, columns and value formats are those of these programs.
 */
import { type AuthenticationCreds, proto, type SignalDataSet } from '@whiskeysockets/baileys'
import { recordFromJson } from '../../workers/shard/keys/signal/session-json.ts'

export type Table = readonly Record<string, string | number | Uint8Array | null>[]
export type Stored = Readonly<Record<string, Table>>

interface Device {
  creds: AuthenticationCreds
  keys: SignalDataSet
}

const bytes = (value: Uint8Array | string | null | undefined): Uint8Array =>
  typeof value === 'string' ? Buffer.from(value, 'base64') : Buffer.from(value ?? [])

function record({ creds }: Device, value: unknown): Uint8Array {
  const own = {
    identityKey: Buffer.concat([Buffer.of(5), creds.signedIdentityKey.public]),
    registrationId: creds.registrationId,
  }
  return recordFromJson(Buffer.from(JSON.stringify(value)), own) ?? (value as Uint8Array)
}

const rowsOf = <T extends keyof SignalDataSet>(
  { keys }: Device,
  type: T,
): [id: string, value: NonNullable<NonNullable<SignalDataSet[T]>[string]>][] => Object.entries(keys[type] ?? {}) as never

/**
 * Splits an id into its parts. The id of a session is `user[_domain].device`, and that of a sender key is
 * `group::user[_domain]::device`.
 */
const split = (id: string) => /^(?:(.+)::)?(\d+)(?:_(\d+))?(?:\.|::)(\d+)$/.exec(id)!.slice(1) as [string, string, string, string]

const fingerprintBytes = (value: proto.Message.IAppStateSyncKeyFingerprint | null | undefined) =>
  value
    ? proto.Message.AppStateSyncKeyFingerprint.encode(proto.Message.AppStateSyncKeyFingerprint.fromObject(value)).finish()
    : null

const stateKeys = (device: Device) =>
  rowsOf(device, 'app-state-sync-key').map(([id, value]) => {
    // The library's files contain bytes as text, which `fromObject` decodes.
    const { keyData, fingerprint, timestamp } = proto.Message.AppStateSyncKeyData.fromObject(value)
    return { id: bytes(id), keyData: bytes(keyData), fingerprint: fingerprintBytes(fingerprint), timestamp: Number(timestamp) }
  })

const tokensOf = (device: Device) =>
  rowsOf(device, 'tctoken').flatMap(([jid, { token, timestamp }]) =>
    jid === '__index' ? [] : [{ jid, token: bytes(token), timestamp: Number(timestamp ?? 0) }],
  )

const pairs = (device: Device) => rowsOf(device, 'lid-mapping').filter(([id]) => !id.endsWith('_reverse'))

export function whatsmeowTables(device: Device, salt: Uint8Array): Stored {
  const { creds } = device
  const account = proto.ADVSignedDeviceIdentity.fromObject(creds.account!)
  const jid = creds.me!.id
  const named = (id: string) => {
    const [, user, domain, number] = split(id)
    return `${user}${domain ? `_${domain}` : ''}:${number}`
  }
  return {
    whatsmeow_device: [
      {
        jid,
        lid: creds.me!.lid ?? null,
        registration_id: creds.registrationId,
        noise_key: bytes(creds.noiseKey.private),
        identity_key: bytes(creds.signedIdentityKey.private),
        signed_pre_key: bytes(creds.signedPreKey.keyPair.private),
        signed_pre_key_id: creds.signedPreKey.keyId,
        signed_pre_key_sig: bytes(creds.signedPreKey.signature),
        adv_key: bytes(creds.advSecretKey),
        adv_details: bytes(account.details),
        adv_account_sig: bytes(account.accountSignature),
        adv_account_sig_key: bytes(account.accountSignatureKey),
        adv_device_sig: bytes(account.deviceSignature),
        platform: creds.platform ?? '',
        business_name: '',
        push_name: creds.me!.name ?? '',
        facebook_uuid: null,
        lid_migration_ts: 0,
      },
    ],
    whatsmeow_identity_keys: rowsOf(device, 'identity-key').map(([id, key]) => ({
      our_jid: jid,
      their_id: named(id),
      identity: bytes(key).subarray(1),
    })),
    whatsmeow_pre_keys: rowsOf(device, 'pre-key').map(([id, pair]) => ({
      jid,
      key_id: Number(id),
      key: bytes(pair.private),
      uploaded: Number(Number(id) < creds.firstUnuploadedPreKeyId),
    })),
    whatsmeow_sessions: rowsOf(device, 'session').map(([id, value]) => ({
      our_jid: jid,
      their_id: named(id),
      session: record(device, value),
    })),
    whatsmeow_sender_keys: rowsOf(device, 'sender-key').map(([id, key]) => ({
      our_jid: jid,
      chat_id: split(id)[0],
      sender_id: named(id),
      sender_key: bytes(key),
    })),
    whatsmeow_app_state_sync_keys: stateKeys(device).map(({ id, keyData, fingerprint, timestamp }) => ({
      jid,
      key_id: id,
      key_data: keyData,
      timestamp,
      fingerprint: fingerprint ?? Buffer.alloc(0),
    })),
    whatsmeow_lid_map: pairs(device).map(([pn, lid]) => ({ lid, pn })),
    whatsmeow_privacy_tokens: tokensOf(device).map(({ jid: their, token, timestamp }) => ({
      our_jid: jid,
      their_jid: their,
      token,
      timestamp,
      sender_timestamp: null,
    })),
    whatsmeow_nct_salt: [{ our_jid: jid, salt }],
  }
}

const SERVERS: Readonly<Record<string, string>> = { '': 's.whatsapp.net', '1': 'lid', '128': 'hosted', '129': 'hosted.lid' }

export function zapoTables(device: Device, salt: Uint8Array): Stored {
  const { creds } = device
  const account = proto.ADVSignedDeviceIdentity.fromObject(creds.account!)
  const session_id = 'default'
  const address = (id: string) => {
    const [, user, domain = '', number] = split(id)
    return { user, server: SERVERS[domain]!, device: Number(number) }
  }
  return {
    auth_credentials: [
      {
        session_id,
        noise_pub_key: bytes(creds.noiseKey.public),
        noise_priv_key: bytes(creds.noiseKey.private),
        registration_id: creds.registrationId,
        identity_pub_key: bytes(creds.signedIdentityKey.public),
        identity_priv_key: bytes(creds.signedIdentityKey.private),
        signed_prekey_id: creds.signedPreKey.keyId,
        signed_prekey_pub_key: bytes(creds.signedPreKey.keyPair.public),
        signed_prekey_priv_key: bytes(creds.signedPreKey.keyPair.private),
        signed_prekey_signature: bytes(creds.signedPreKey.signature),
        adv_secret_key: bytes(creds.advSecretKey),
        signed_identity: proto.ADVSignedDeviceIdentity.encode(account).finish(),
        me_jid: creds.me!.id,
        me_lid: creds.me!.lid ?? null,
        me_display_name: creds.me!.name ?? null,
        platform: creds.platform ?? null,
        routing_info: creds.routingInfo ? bytes(creds.routingInfo) : null,
        device_info: null,
        push_name: null,
        year_class: null,
        mem_class: null,
      },
    ],
    signal_meta: [{ session_id, server_has_prekeys: 1, next_prekey_id: creds.nextPreKeyId, signed_prekey_rotation_ts: null }],
    signal_signed_prekey: [
      {
        session_id,
        key_id: creds.signedPreKey.keyId,
        pub_key: bytes(creds.signedPreKey.keyPair.public),
        priv_key: bytes(creds.signedPreKey.keyPair.private),
        signature: bytes(creds.signedPreKey.signature),
        uploaded: 1,
      },
    ],
    signal_prekey: rowsOf(device, 'pre-key').map(([id, pair]) => ({
      session_id,
      key_id: Number(id),
      pub_key: bytes(pair.public),
      priv_key: bytes(pair.private),
      uploaded: 1,
    })),
    signal_session: rowsOf(device, 'session').map(([id, value]) => ({
      session_id,
      ...address(id),
      record: record(device, value),
    })),
    signal_identity: rowsOf(device, 'identity-key').map(([id, key]) => ({
      session_id,
      ...address(id),
      identity_key: bytes(key),
    })),
    sender_keys: rowsOf(device, 'sender-key').map(([id, key]) => {
      const { user, server, device: number } = address(id)
      const [group_id] = split(id)
      return { session_id, group_id, sender_user: user, sender_server: server, sender_device: number, record: bytes(key) }
    }),
    appstate_sync_keys: stateKeys(device).map(({ id, keyData, fingerprint, timestamp }, index) => ({
      session_id,
      key_id: id,
      key_data: keyData,
      timestamp: timestamp * 1_000,
      fingerprint,
      key_epoch: index + 1,
    })),
    mailbox_contacts: pairs(device).map(([pn, lid]) => ({
      session_id,
      jid: `${lid}@lid`,
      display_name: null,
      push_name: null,
      lid: null,
      phone_number: `${pn}@s.whatsapp.net`,
      last_updated_ms: 1,
    })),
    privacy_tokens: [
      ...tokensOf(device).map(({ jid, token, timestamp }) => ({
        session_id,
        jid,
        tc_token: token,
        tc_token_timestamp: timestamp,
        tc_token_sender_timestamp: null,
        nct_salt: null,
        updated_at_ms: 1,
      })),
      {
        session_id,
        jid: creds.me!.id,
        tc_token: null,
        tc_token_timestamp: null,
        tc_token_sender_timestamp: null,
        nct_salt: salt,
        updated_at_ms: 1,
      },
    ],
  }
}

/** Prints the rows as PostgreSQL's `row_to_json` does, one row per line. */
export const printedRows = (stored: Stored): string =>
  Object.entries(stored)
    .flatMap(([table, rows]) =>
      rows.map((row) =>
        JSON.stringify({
          table,
          row: Object.fromEntries(
            Object.entries(row).map(([name, value]) => [
              name,
              value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value,
            ]),
          ),
        }),
      ),
    )
    .map((line) => `${line}\n`)
    .join('')
