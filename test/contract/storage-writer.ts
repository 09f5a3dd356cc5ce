/**
 * A program that writes to a store, for storage.test.ts. It runs as a worker thread until it has written its batches or
 * is stopped, or as a separate process until it is killed.
 */
import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { openStore } from '../../src/storage/open-store.ts'

/**
 * Builds batch number n, in which every key has the value n. So the test notices a batch of which only a part was
 * stored.
 */
export const batchOf = (writer: string, n: number) =>
  Array.from({ length: 8 }, (_, i) => [`${writer}:${i}:${String(n % 50).padStart(3, '0')}`, Buffer.from(String(n))] as const)

async function writeInThread(url: string, writer: string, batches: number) {
  const store = await openStore(url)
  for (let n = 0; n < batches; n++) await store.commit({ ops: batchOf(writer, n) })
  // All writers increase this counter at the same time. Only the guard of the commit prevents lost increments.
  for (let n = 0; n < 25; ) {
    const found = await store.get('counter')
    const next = Buffer.from(String(Number(found ?? 0) + 1))
    if (await store.commit({ guard: { key: 'counter', equals: found ?? null }, ops: [['counter', next]] })) n++
  }
  await store.close()
  parentPort!.postMessage('done')
}

async function writeWhenTold(url: string, key: string) {
  const store = await openStore(url)
  parentPort!.on('message', async (n: number) => {
    await store.commit({ ops: [[key, Buffer.from(String(n))]] })
    parentPort!.postMessage(n)
  })
  parentPort!.postMessage('ready')
}

async function writeUntilKilled(url: string) {
  const store = await openStore(url)
  const write = async (writer: string) => {
    for (let n = 0; ; n++) {
      await store.commit({ ops: batchOf(writer, n) })
      // The write is synchronous. So each line in the pipe belongs to a commit that was acknowledged before the kill.
      writeSync(1, `${writer} ${n}\n`)
    }
  }
  await Promise.all(['a', 'b', 'c'].map(write))
}

if (parentPort && workerData.told) await writeWhenTold(workerData.url, workerData.told)
else if (parentPort) await writeInThread(workerData.url, workerData.writer, workerData.batches)
else if (process.argv[2] === 'until-killed') await writeUntilKilled(process.argv[3]!)
