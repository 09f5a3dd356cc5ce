/**
 * A thread in which three parts of the code each cause an error that nothing catches. It reports the errors that
 * reached its handlers, and continues.
 */
import { parentPort } from 'node:worker_threads'
import { runAs, surviveRejections } from '../../../../workers/shard/baileys/thread/rejections.ts'

surviveRejections(({ kind, error, owner }) => parentPort!.postMessage([kind, error.message, owner]))

runAs('one', () => {
  void new Promise((resolve) => setImmediate(resolve)).then(() => Promise.reject(new Error('of one')))
})
runAs('two', () => {
  void Promise.reject('bare')
})
runAs('three', () => {
  setImmediate(() => {
    throw new Error('thrown')
  })
})

parentPort!.on('message', () => {
  parentPort!.postMessage('alive')
  parentPort!.close()
})
