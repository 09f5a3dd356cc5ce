/** A process that opens the store as its owner, prints a line when the store is open, and runs until it is killed. */
import { openStore } from '../../../src/storage/open-store.ts'

await (await openStore(process.argv[2]!)).own()
process.stdout.write('mine\n')
process.stdin.resume()
