/**
 * The parts of the library on which our corrections depend, as literal text of its files. A test reads the files and fails if an upgrade has changed
 * one of these texts. The file of ours that is named with the text (`of`) must then be reviewed. Pinned: @whiskeysockets/baileys 7.0.0-rc14.
 */
interface Leaning {
  /** Path of the library's file, relative to its package. */
  file: string
  /** Texts that the library's file must contain verbatim, except for the amount of white space. */
  text: readonly string[]
  /** Our file that depends on this code of the library. */
  of: string
}

export const LEANINGS: readonly Leaning[] = [
  {
    of: 'baileys/thread/curve.ts',
    file: 'lib/Utils/noise-handler.js',
    text: [
      'mixIntoKey(Curve.sharedKey(privateKey, decStaticContent)); const certDecoded = decrypt(serverHello.payload);',
      'const verify = Curve.verify(details.key, leaf.details, leaf.signature); const verifyIntermediate = Curve.verify(WA_CERT_DETAILS.PUBLIC_KEY, certIntermediate.details, certIntermediate.signature);',
      'if (issuerSerial !== WA_CERT_DETAILS.SERIAL)',
      'processHandshake: ({ serverHello }, noiseKey) => {',
    ],
  },
  {
    of: 'baileys/thread/curve.ts',
    file: 'lib/Utils/validate-connection.js',
    text: [
      'const accountMsg = Buffer.concat([accountSignaturePrefix, deviceDetails, signedIdentityKey.public]); if (!Curve.verify(accountSignatureKey, accountMsg, accountSignature))',
    ],
  },
  {
    of: 'baileys/thread/curve.ts',
    file: 'lib/Defaults/index.js',
    text: [
      'export const WA_ADV_ACCOUNT_SIG_PREFIX = Buffer.from([6, 0]);',
      'export const WA_ADV_HOSTED_ACCOUNT_SIG_PREFIX = Buffer.from([6, 5]);',
      'SERIAL: 0,',
    ],
  },
  {
    // The derivation of the keys from the key agreements, and the number of agreements.
    of: 'baileys/thread/read-key.ts',
    file: 'lib/Utils/noise-handler.js',
    text: [
      "const localHKDF = (data) => { const key = hkdf(Buffer.from(data), 64, { salt, info: '' }); return [key.subarray(0, 32), key.subarray(32)]; };",
      'const mixIntoKey = (data) => { const [write, read] = localHKDF(data); salt = write;',
      'const [write, read] = localHKDF(new Uint8Array(0)); transport = new TransportState(write, read);',
      'mixIntoKey(Curve.sharedKey(privateKey, serverHello.ephemeral));',
      'const keyEnc = encrypt(noiseKey.public); mixIntoKey(Curve.sharedKey(noiseKey.private, serverHello.ephemeral)); return keyEnc;',
    ],
  },
  {
    // The format of a frame: its counter and authentication tag, and that its content may be compressed (deflate).
    of: 'network/frames/frame-reader.ts',
    file: 'lib/Utils/noise-handler.js',
    text: [
      'decrypt(ciphertext) { const c = this.readCounter++; this.iv[8] = (c >>> 24) & 0xff; this.iv[9] = (c >>> 16) & 0xff; this.iv[10] = (c >>> 8) & 0xff; this.iv[11] = c & 0xff; return aesDecryptGCM(ciphertext, this.decKey, this.iv, EMPTY_BUFFER); }',
      'size = (inBytes[0] << 16) | (inBytes[1] << 8) | inBytes[2];',
      'const result = transport.decrypt(frame); frame = await decodeBinaryNode(result);',
    ],
  },
  {
    of: 'network/frames/frame-reader.ts',
    file: 'lib/WABinary/decode.js',
    text: ['if (2 & buffer.readUInt8()) { buffer = await inflatePromise(buffer.slice(1)); }'],
  },
  {
    of: 'network/qr-clock.ts',
    file: 'lib/Utils/companion-reg-client-utils.js',
    text: ['[ref, noiseKeyB64, identityKeyB64, advB64,'],
  },
  {
    of: 'baileys/thread/console.ts',
    file: '../../libsignal/src/session_record.js',
    text: [
      'console.info("Closing session:", session);',
      'console.info("Opening session:", session);',
      'console.info("Removing old closed session:", oldestSession);',
    ],
  },
  {
    of: 'baileys/lid-mapping.ts',
    file: 'lib/Signal/lid-mapping.js',
    text: [`this.mappingCache.set(\`pn:\${pnUser}\`, lidUser);`],
  },
]

/** Exports of the package that our code uses at run time. A test checks that they exist. */
export const EXPORTS = [
  'Browsers',
  'BufferJSON',
  'Curve',
  'DEFAULT_CONNECTION_CONFIG',
  'NOISE_MODE',
  'WAJIDDomains',
  'WA_CERT_DETAILS',
  'aesDecryptCTR',
  'aesEncryptCTR',
  'aesEncryptGCM',
  'buildPairingQRData',
  'bytesToCrockford',
  'configureSuccessfulPairing',
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
  'makeNoiseHandler',
  'proto',
  'transferDevice',
  'unpadRandomMax16',
  'xmppPreKey',
  'xmppSignedPreKey',
] as const
