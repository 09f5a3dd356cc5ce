/**
 * Reads the credentials of a device that another program linked, field by field. If the fields do not match each other,
 * all credentials are refused.
 */
import { type AuthenticationCreds, Curve, generateSignalPubKey, initAuthCreds, jidDecode, proto } from '@whiskeysockets/baileys'
import * as v from 'valibot'
import { verifySignature } from 'whatsapp-rust-bridge'
import { NotImportable } from '../../src/domain/not-importable.ts'
import type { OwnFacts } from '../shard/keys/own-facts.ts'
import { revived } from './library-state.ts'

const bytes = (length: number) =>
  v.custom<Uint8Array>((value) => value instanceof Uint8Array && value.length === length, `must be ${length} bytes`)
const key = bytes(32)
const keyPair = v.object({ public: key, private: key })
const count = v.pipe(v.number(), v.integer(), v.minValue(0))

/** Fields that are read. All other fields are not needed after the pairing, or belong to other programs. */
const Credentials = v.object({
  noiseKey: keyPair,
  signedIdentityKey: keyPair,
  signedPreKey: v.object({ keyPair, signature: bytes(64), keyId: count }),
  registrationId: v.pipe(count, v.maxValue(0xffff_ffff)),
  advSecretKey: v.optional(v.string()),
  me: v.object({ id: v.string(), lid: v.optional(v.string()), name: v.optional(v.string()) }),
  account: v.record(v.string(), v.unknown()),
  platform: v.optional(v.string()),
  routingInfo: v.optional(v.instance(Uint8Array)),
  registered: v.optional(v.boolean()),
  nextPreKeyId: v.pipe(count, v.minValue(1)),
  firstUnuploadedPreKeyId: v.pipe(count, v.minValue(1)),
  myAppStateKeyId: v.optional(v.string()),
  lastAccountSyncTimestamp: v.optional(v.number()),
  accountSettings: v.optional(v.object({ unarchiveChats: v.optional(v.boolean()) })),
  // Each program stores its own data here; only the salt is read.
  additionalData: v.fallback(v.optional(v.object({ chatTokenSalt: v.optional(v.instance(Uint8Array)) })), undefined),
})

type Given = v.InferOutput<typeof Credentials>

/**
 * Value of `accountSyncCounter` for a device that has read its app state. An imported device gets it, because the other
 * program has already read the app state.
 */
const HAS_SYNCED = 1
/** Base point of the curve. Multiplied with a private key it gives the public key. */
const BASE_POINT = Buffer.alloc(32, 0).fill(9, 0, 1)

/** Prefixes of signed data: the first for an ordinary device, the second for one that the network hosts. */
const DEVICE_SIGNED = [Buffer.of(6, 1), Buffer.of(6, 6)]
const ACCOUNT_SIGNED = [Buffer.of(6, 0), Buffer.of(6, 5)]

/**
 * Returns the credentials. `highestPreKey`: the highest id of the imported pre-keys. Throws `NotImportable` if the
 * credentials are not usable.
 */
export function credentialsFrom(text: string, highestPreKey: number): AuthenticationCreds {
  const given = parsed(text)
  const account = accountOf(given)
  const problems = [...misfits(given), ...badSignatures(given, account)]
  if (problems.length > 0) throw new NotImportable(problems)
  // The next pre-key gets an id above all imported ones. If two pre-keys had the same id, the first message of a new
  // contact could not be decrypted.
  const nextPreKeyId = Math.max(given.nextPreKeyId, highestPreKey + 1)
  const { noiseKey, signedIdentityKey, signedPreKey, registrationId } = given
  const fresh = initAuthCreds()
  return {
    ...fresh,
    noiseKey: pairOf(noiseKey),
    signedIdentityKey: pairOf(signedIdentityKey),
    signedPreKey: { ...signedPreKey, keyPair: pairOf(signedPreKey.keyPair), signature: Buffer.from(signedPreKey.signature) },
    registrationId,
    advSecretKey: given.advSecretKey || fresh.advSecretKey,
    me: withoutUndefined(given.me),
    account,
    ...withoutUndefined({
      platform: given.platform,
      myAppStateKeyId: given.myAppStateKeyId,
      lastAccountSyncTimestamp: given.lastAccountSyncTimestamp,
    }),
    routingInfo: given.routingInfo && Buffer.from(given.routingInfo),
    registered: given.registered ?? true,
    nextPreKeyId,
    firstUnuploadedPreKeyId: Math.min(given.firstUnuploadedPreKeyId, nextPreKeyId),
    accountSyncCounter: HAS_SYNCED,
    ...saltOf(given),
    accountSettings: { unarchiveChats: given.accountSettings?.unarchiveChats === true },
  }
}

function saltOf({ additionalData }: Given): Pick<AuthenticationCreds, 'additionalData'> {
  const salt = additionalData?.chatTokenSalt
  return salt === undefined ? {} : { additionalData: { chatTokenSalt: Buffer.from(salt) } satisfies OwnFacts }
}

function parsed(text: string): Given {
  let value: unknown
  try {
    value = revived(text)
  } catch (cause) {
    throw new NotImportable(['The credentials are not readable as JSON.'], { cause })
  }
  const given = (value ?? {}) as Record<string, unknown>
  if (!given.account || !given.me)
    throw new NotImportable(['The device was never linked, or not completely: its credentials have no account.'])
  const read = v.safeParse(Credentials, withoutNulls(given))
  if (read.success) return read.output
  throw new NotImportable(
    read.issues.map(
      (issue) =>
        `The credentials have an unexpected ${v.getDotPath(issue) ?? 'shape'}: ${sentence(issue.received === 'undefined' ? 'it is missing' : issue.message)}`,
    ),
  )
}

const sentence = (text: string) => (text.endsWith('.') ? text : `${text}.`)

/** Decodes the account. Its fields are base64 texts or, from older programs, bytes; `fromObject` accepts both. */
function accountOf({ account }: Given): proto.ADVSignedDeviceIdentity {
  try {
    return proto.ADVSignedDeviceIdentity.fromObject(account)
  } catch (cause) {
    throw new NotImportable(['The credentials have an account that is not readable.'], { cause })
  }
}

function misfits({ noiseKey, signedIdentityKey, signedPreKey, me }: Given): string[] {
  const pairs = { noiseKey, signedIdentityKey, 'signedPreKey.keyPair': signedPreKey.keyPair }
  const broken = Object.entries(pairs).filter(([, pair]) => !isPair(pair))
  const isDevice = (jidDecode(me.id)?.device ?? 0) > 0
  return [
    ...broken.map(([name]) => `The public key of ${name} does not belong to its private key.`),
    ...(isDevice ? [] : ['The credentials are not those of a linked device: me.id names no device.']),
  ]
}

const isPair = (pair: Given['noiseKey']): boolean => Curve.sharedKey(Buffer.from(pair.private), BASE_POINT).equals(pair.public)

function badSignatures({ signedIdentityKey, signedPreKey }: Given, account: proto.ADVSignedDeviceIdentity): string[] {
  const { details, accountSignature, accountSignatureKey, deviceSignature } = account
  if (!details?.length || !accountSignature?.length || !accountSignatureKey?.length || !deviceSignature?.length)
    return ['The credentials have an account without its signatures.']
  const own = Buffer.from(signedIdentityKey.public)
  const isSigned = (by: Uint8Array, signature: Uint8Array, prefixes: readonly Buffer[], ...signed: Uint8Array[]) =>
    prefixes.some((prefix) => isSignature(by, Buffer.concat([prefix, ...signed]), signature))
  const isDevice = isSigned(own, deviceSignature, DEVICE_SIGNED, details, own, accountSignatureKey)
  const isAccount = isSigned(accountSignatureKey, accountSignature, ACCOUNT_SIGNED, details, own)
  const preKey = generateSignalPubKey(Buffer.from(signedPreKey.keyPair.public))
  const isPreKey = isSignature(own, preKey, signedPreKey.signature)
  return [
    ...(isDevice ? [] : ['The signature of the device does not belong to its identity key.']),
    ...(isAccount ? [] : ['The signature of the account does not belong to this device.']),
    ...(isPreKey ? [] : ['The signature of the signed pre-key does not belong to the identity key.']),
  ]
}

/**
 * Whether the signature is valid. The native module verifies it, because Baileys' `Curve.verify` returns true for every
 * signature of the right length.
 */
function isSignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verifySignature(publicKey, message, signature)
  } catch {
    // If the bytes have a wrong length, the module throws a string.
    return false
  }
}

const pairOf = (pair: Given['noiseKey']) => ({ public: Buffer.from(pair.public), private: Buffer.from(pair.private) })

type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> }

const withoutUndefined = <T extends object>(given: T) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Present<T>

/** Removes null values, because some programs write null where others omit the field. */
const withoutNulls = (given: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
