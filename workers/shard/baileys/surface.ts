/**
 * The parts of the library on which our corrections depend, as literal text of its files. A test reads the files and fails when an upgrade changes
 * one of them; the correction that is named beside it must then be reviewed. Pinned: @whiskeysockets/baileys 7.0.0-rc14.
 */
interface Leaning {
  /** Path below the package. */
  file: string
  /** Text that must occur verbatim, except for the amount of white space. */
  text: readonly string[]
  /** Our file that depends on it. */
  of: string
}

const SOCKET = 'lib/Socket/socket.js'

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
    of: 'baileys/thread/async-storage.ts',
    file: 'lib/Utils/auth-utils.js',
    text: ['const txStorage = new AsyncLocalStorage();'],
  },
  {
    of: 'baileys/thread/login-counts.ts',
    file: 'lib/Utils/validate-connection.js',
    text: [
      'lidDbMigrated: false }; return proto.ClientPayload.fromObject(payload);',
      'return proto.ClientPayload.fromObject(registerPayload);',
    ],
  },
  {
    of: 'baileys/thread/rejections.ts',
    file: SOCKET,
    text: [
      "ws.on('message', onMessageReceived);",
      'const onMessageReceived = async (data) => { await noise.decodeFrame(data, frame => {',
    ],
  },
  {
    // The steps from the key agreements to the keys, and the number of agreements.
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
    of: 'baileys/thread/read-key.ts',
    file: SOCKET,
    text: ['const keyEnc = noise.processHandshake(handshake, creds.noiseKey);', 'const { creds } = authState;'],
  },
  {
    // Format of a frame: counter, authentication tag, and that it may be deflated.
    of: 'baileys/frames/frame-reader.ts',
    file: 'lib/Utils/noise-handler.js',
    text: [
      'decrypt(ciphertext) { const c = this.readCounter++; this.iv[8] = (c >>> 24) & 0xff; this.iv[9] = (c >>> 16) & 0xff; this.iv[10] = (c >>> 8) & 0xff; this.iv[11] = c & 0xff; return aesDecryptGCM(ciphertext, this.decKey, this.iv, EMPTY_BUFFER); }',
      'size = (inBytes[0] << 16) | (inBytes[1] << 8) | inBytes[2];',
      'const result = transport.decrypt(frame); frame = await decodeBinaryNode(result);',
    ],
  },
  {
    of: 'baileys/frames/frame-reader.ts',
    file: 'lib/WABinary/decode.js',
    text: ['if (2 & buffer.readUInt8()) { buffer = await inflatePromise(buffer.slice(1)); }'],
  },
  {
    // The only listener that we replace, and the other effects that it has on a frame, such as its log output.
    of: 'baileys/frames/inbound.ts',
    file: SOCKET,
    text: [
      "const onMessageReceived = async (data) => { await noise.decodeFrame(data, frame => { // reset ping timeout lastDateRecv = new Date(); let anyTriggered = false; anyTriggered = ws.emit('frame', frame);",
      "ws.on('message', onMessageReceived);",
      "ws.removeAllListeners('message');",
    ],
  },
  {
    of: 'wire/stanza-events.ts',
    file: SOCKET,
    text: [
      `anyTriggered = ws.emit(\`\${DEF_TAG_PREFIX}\${msgId}\`, frame) || anyTriggered;`,
      "const l2 = Array.isArray(frame.content) ? frame.content[0]?.tag : '';",
      `for (const key of Object.keys(l1)) { anyTriggered = ws.emit(\`\${DEF_CALLBACK_PREFIX}\${l0},\${key}:\${l1[key]},\${l2}\`, frame) || anyTriggered; anyTriggered = ws.emit(\`\${DEF_CALLBACK_PREFIX}\${l0},\${key}:\${l1[key]}\`, frame) || anyTriggered; anyTriggered = ws.emit(\`\${DEF_CALLBACK_PREFIX}\${l0},\${key}\`, frame) || anyTriggered; }`,
      `anyTriggered = ws.emit(\`\${DEF_CALLBACK_PREFIX}\${l0},,\${l2}\`, frame) || anyTriggered; anyTriggered = ws.emit(\`\${DEF_CALLBACK_PREFIX}\${l0}\`, frame) || anyTriggered;`,
    ],
  },
  {
    of: 'baileys/query.ts',
    file: SOCKET,
    text: ["logger?.warn?.({ msgId }, 'timed out waiting for message'); return undefined;"],
  },
  {
    of: 'baileys/query.ts',
    file: 'lib/Utils/generics.js',
    text: ["new Boom('Timed Out', { statusCode: DisconnectReason.timedOut,"],
  },
  {
    of: 'baileys/watchdog.ts',
    file: 'lib/Socket/Client/websocket.js',
    text: [
      "const events = ['close', 'error', 'upgrade', 'message', 'open', 'ping', 'pong', 'unexpected-response'];",
      'this.socket = new WebSocket(this.url, {',
    ],
  },
  {
    // The handling of a login, and that each stanza is emitted under its tag.
    of: 'connection/socket/stanza-router.ts',
    file: SOCKET,
    text: [
      `anyTriggered = ws.emit(\`\${DEF_CALLBACK_PREFIX}\${l0}\`, frame) || anyTriggered;`,
      "ws.on('CB:success', async",
      "ws.on('CB:iq,type:set,pair-device', async",
      "ws.on('CB:failure',",
      "ws.on('CB:stream:error',",
    ],
  },
  {
    of: 'baileys/end.ts',
    file: SOCKET,
    text: [
      "ev.removeAllListeners('connection.update'); ev.destroy();",
      'signalRepository.close?.();',
      "ws.removeAllListeners('close');",
    ],
  },
  {
    // The library's handler of the offer, which our handler replaces. It creates the answer, the fields of each code and the time for which it is
    // shown, and the error at the end. A pairing also verifies the secret that the credentials have at that time.
    of: 'baileys/qr-clock.ts',
    file: SOCKET,
    text: [
      "const iq = { tag: 'iq', attrs: { to: S_WHATSAPP_NET, type: 'result', id: stanza.attrs.id } }; await sendNode(iq);",
      'const qr = buildPairingQRData(ref, noiseKeyB64, identityKeyB64, advB64, browser);',
      'let qrMs = qrTimeout || 60000;',
      'qrMs = qrTimeout || 20000;',
      "void end(new Boom('QR refs attempts ended', { statusCode: DisconnectReason.timedOut }));",
      'const { reply, creds: updatedCreds } = configureSuccessfulPairing(stanza, creds);',
    ],
  },
  {
    of: 'baileys/offline-batches.ts',
    file: SOCKET,
    text: [
      "ws.on('CB:ib,,offline_preview', async (node) => { logger.info('offline preview received', JSON.stringify(node)); await sendNode({ tag: 'ib', attrs: {}, content: [{ tag: 'offline_batch', attrs: { count: '100' } }] }); });",
    ],
  },
  {
    of: 'baileys/companion-refresh.ts',
    file: SOCKET,
    text: ['Object.assign(creds, update);'],
  },
  {
    of: 'baileys/qr-clock.ts',
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
    of: 'keys/signal/signal-repository.ts',
    file: SOCKET,
    text: ['const signalRepository = makeSignalRepository({ creds, keys }, logger, pnFromLIDUSync);'],
  },
  {
    of: 'baileys/lid-mapping.ts',
    file: 'lib/Signal/lid-mapping.js',
    text: [`this.mappingCache.set(\`pn:\${pnUser}\`, lidUser);`],
  },
]

/** Exports of the package that are used at run time. */
export const EXPORTS = [
  'Curve',
  'NOISE_MODE',
  'WA_CERT_DETAILS',
  'generateSignalPubKey',
  'initAuthCreds',
  'buildPairingQRData',
  'BufferJSON',
  'proto',
  'jidDecode',
  'transferDevice',
  'WAJIDDomains',
  'decodeMessageNode',
  'unpadRandomMax16',
  'encryptMediaRetryRequest',
  'decryptMediaRetryData',
  'encodeWAMessage',
  'encodeSignedDeviceIdentity',
  'extractE2ESessionFromRetryReceipt',
  'decodeMediaRetryNode',
  'derivePairingCodeKey',
  'bytesToCrockford',
  'aesDecryptCTR',
  'aesEncryptGCM',
  'getNextPreKeys',
  'encodeBigEndian',
  'xmppPreKey',
  'xmppSignedPreKey',
] as const
