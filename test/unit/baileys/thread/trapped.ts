/**
 * A thread in which a WebAssembly module traps (fails fatally) at the place that `workerData` names. The thread reports
 * the errors that reached its handlers.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { surviveRejections } from '../../../../workers/shard/baileys/thread/rejections.ts'
import { signalError } from '../../../../workers/shard/keys/signal/errors.ts'

interface Wasm {
  Module: new (code: Uint8Array) => object
  Instance: new (module: object) => { exports: { f: () => void } }
}

// Bytes of this module: (module (func (export "f") unreachable))
const code = '0061736d0100000001040160000003020100070501016600000a05010300000b'
const { Module, Instance } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly
const trap = new Instance(new Module(Buffer.from(code, 'hex'))).exports.f

surviveRejections(({ error }) => parentPort!.postMessage(error.name))
// This listener keeps the thread alive. In the service, sockets do this.
parentPort!.on('message', () => {})

const ways: Record<string, () => void> = {
  uncaught: () => setImmediate(trap),
  unhandled: () => void Promise.resolve().then(trap),
  signal() {
    try {
      trap()
    } catch (error) {
      signalError(error, 'decrypt')
    }
  },
}
ways[workerData as string]!()
