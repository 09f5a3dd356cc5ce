/**
 * Opens the store many times, as commands do beside a service, and commits a record every second time. At the end it
 * checks the store, and prints the number of its commits.
 */
import { checkStore } from '../../src/storage/check.ts'
import { openStore } from '../../src/storage/open-store.ts'

const [url = '', dir = '', name = '', count = ''] = process.argv.slice(2)

let commits = 0
for (let opened = 0; opened < Number(count); opened++) {
  const store = await openStore(url, { mustExist: true })
  if (opened % 2 === 1) await store.commit({ ops: [[`opener:${name}:${commits++}`, Buffer.from('x')]] })
  await store.close()
}
const { state } = await checkStore(dir, 'deep')
process.stdout.write(JSON.stringify({ commits, state }))
