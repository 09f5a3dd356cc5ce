import { X509Certificate } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import * as v from 'valibot'
import { BUCKET_URLS, parseBucketUrl } from './domain/bucket.ts'
import { parseStandbyAddress, STANDBY_ADDRESSES } from './domain/standby-address.ts'
import { canonicalCidr } from './egress/addresses.ts'

/** A whole number between two bounds. The message follows "… must be", so it names only the accepted values. */
export const whole = (min: number, max: number) => {
  const accepts = `a whole number from ${min} to ${max}`
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, accepts),
    v.transform(Number),
    v.minValue(min, accepts),
    v.maxValue(max, accepts),
  )
}
export const oneOf = <const T extends readonly string[]>(...words: T) => v.picklist(words, words.join(' or '))
export const text = v.pipe(v.string(), v.nonEmpty('not empty'))
export const bucketUrl = v.pipe(
  v.string(),
  v.check((url) => parseBucketUrl(url) !== undefined, BUCKET_URLS),
)
export const standbyAddress = v.pipe(
  v.string(),
  v.check((address) => parseStandbyAddress(address) !== undefined, STANDBY_ADDRESSES),
  v.transform((address) => parseStandbyAddress(address)!),
)

const split = (list: string) => list.split(',').flatMap((entry) => entry.trim() || [])
/**
 * A list of at least one range. For SVC_ADMIN_ALLOWED_IPS, an empty list would mean "all addresses", and must not be
 * the result of a misplaced comma.
 */
export const cidrs = v.pipe(
  v.string(),
  v.check(
    (list) => split(list).length > 0 && split(list).every((entry) => canonicalCidr(entry) !== undefined),
    'a comma-separated list of IP addresses or CIDR ranges',
  ),
  v.transform((list) => split(list).flatMap((entry) => canonicalCidr(entry) ?? [])),
)

export const isUrl = (value: string, protocols: readonly string[]) =>
  URL.canParse(value) && protocols.includes(new URL(value).protocol)

/** True for an origin as browsers send it: `https://agents.example`, without a path. */
const isOrigin = (value: string) => isUrl(value, ['http:', 'https:']) && new URL(value).origin === value
export const origins = v.pipe(
  v.string(),
  v.check((list) => split(list).every(isOrigin), 'a comma-separated list of origins, for example https://agents.example'),
  v.transform(split),
)

/**
 * True if paths can be appended to the URL: it has no query and no fragment. It also has no credentials, because links
 * that the service creates begin with it.
 */
export function isBase(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { username, password } = new URL(value)
  return username === '' && password === '' && !/[?#]/.test(value)
}
/** True for a file that can be created or continued, and for a folder in which files can be created. */
export function isWritablePlace(path: string): boolean {
  const place = resolve(path)
  try {
    accessSync(existsSync(place) ? place : dirname(place), constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * True if the file contains a certificate. This is checked at the start, because the file is only used later, at the
 * first connection.
 */
export function hasCertificate(path: string): boolean {
  try {
    return new X509Certificate(readFileSync(path, 'utf8')).fingerprint256 !== ''
  } catch {
    return false
  }
}
