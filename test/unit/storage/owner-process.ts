/** A process that opens the given store as its owner, reports that, and runs until it is killed. */
import { openStore } from '../../../src/storage/open-store.ts'

await (await openStore(process.argv[2]!)).own()
process.stdout.write('mine\n')
process.stdin.resume()
