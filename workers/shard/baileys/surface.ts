/**
 * Literal texts of Baileys' files on which our corrections depend. If an upgrade changes one of them, a test fails, and
 * our file (`of`) must be reviewed. Pinned: @whiskeysockets/baileys 7.0.0-rc14.
 */
interface Leaning {
  /** Path of Baileys' file, relative to its package. */
  file: string
  /** Texts that the file must contain verbatim, except for white space. */
  text: readonly string[]
  /** Our file that depends on this code of Baileys. */
  of: string
}

export const LEANINGS: readonly Leaning[] = [
  {
    of: 'network/qr-clock.ts',
    file: 'lib/Utils/companion-reg-client-utils.js',
    text: ['[ref, noiseKeyB64, identityKeyB64, advB64,'],
  },
  {
    of: 'baileys/lid-mapping.ts',
    file: 'lib/Signal/lid-mapping.js',
    text: [`this.mappingCache.set(\`pn:\${pnUser}\`, lidUser);`],
  },
]

/** Exports of the package that our code uses. A test checks that they exist. */
export const EXPORTS = [
  'Browsers',
  'BufferJSON',
  'Curve',
  'DEFAULT_CONNECTION_CONFIG',
  'WAJIDDomains',
  'WA_CERT_DETAILS',
  'aesDecryptCTR',
  'aesEncryptCTR',
  'aesEncryptGCM',
  'buildPairingQRData',
  'bytesToCrockford',
  'decodeMediaRetryNode',
  'decodeMessageNode',
  'decryptMediaRetryData',
  'derivePairingCodeKey',
  'encodeBigEndian',
  'encodeSignedDeviceIdentity',
  'encodeWAMessage',
  'encryptMediaRetryRequest',
  'extractE2ESessionFromRetryReceipt',
  'generateLoginNode',
  'generateMdTagPrefix',
  'generateRegistrationNode',
  'generateSignalPubKey',
  'getCodeFromWSError',
  'getCompanionPlatformId',
  'getErrorCodeFromStreamError',
  'initAuthCreds',
  'jidDecode',
  'proto',
  'transferDevice',
  'unpadRandomMax16',
  'xmppPreKey',
  'xmppSignedPreKey',
] as const
