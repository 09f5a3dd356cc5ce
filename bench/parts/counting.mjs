/**
 * Module that is preloaded into a service to count its operations (`bench/counts.ts`): timers, encryptions, decryptions
 * and messages between threads. The counts are the sums of all threads. On SIGUSR2 they are written as JSON to the file
 * in BENCH_COUNTS.
 */
import crypto from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import { getEnvironmentData, isMainThread, MessagePort, setEnvironmentData, Worker } from 'node:worker_threads'

const NAMES = ['timers', 'immediates', 'seals', 'opens', 'noise', 'hmacs', 'messages']
const KEY = 'bench counts'
if (isMainThread) setEnvironmentData(KEY, new SharedArrayBuffer(8 * NAMES.length))
const counts = new BigInt64Array(getEnvironmentData(KEY))
const count = (name) => {
  const index = NAMES.indexOf(name)
  return () => Atomics.add(counts, index, 1n)
}

function counted(object, method, say) {
  const original = object[method]
  const own = function (...args) {
    say(args)
    return Reflect.apply(original, this, args)
  }
  Object.defineProperties(own, Object.getOwnPropertyDescriptors(original))
  object[method] = own
}

const [timer, immediate, seal, open, noise, hmac, message] = NAMES.map(count)
for (const where of [globalThis, timers]) {
  counted(where, 'setTimeout', timer)
  counted(where, 'setImmediate', immediate)
}
// The encryption of stored values sets a tag length, and the encryption of the connection (Noise) does not, so the two
// can be distinguished. The decryption of the connection sets one too, so it counts as `opens`.
counted(crypto, 'createCipheriv', ([algorithm, , , options]) => {
  if (algorithm === 'aes-256-gcm') options ? seal() : noise()
})
counted(crypto, 'createDecipheriv', ([algorithm, , , options]) => {
  if (algorithm === 'aes-256-gcm') options ? open() : noise()
})
counted(crypto, 'createHmac', hmac)
counted(MessagePort.prototype, 'postMessage', message)
counted(Worker.prototype, 'postMessage', message)
syncBuiltinESMExports()

if (isMainThread)
  process.on('SIGUSR2', () => {
    const found = Object.fromEntries(NAMES.map((name, index) => [name, Number(counts[index])]))
    writeFileSync(`${process.env.BENCH_COUNTS}.part`, JSON.stringify(found))
    renameSync(`${process.env.BENCH_COUNTS}.part`, process.env.BENCH_COUNTS)
  })
