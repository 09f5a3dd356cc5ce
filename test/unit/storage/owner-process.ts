/** A process that opens the store as its owner, prints that it has done so, and runs until it is killed. */
import { openStore } from '../../../src/storage/open-store.ts'

await (await openStore(process.argv[2]!)).own()
process.stdout.write('mine\n')
process.stdin.resume()
