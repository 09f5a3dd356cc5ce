/** A process that opens the given store as its owner, reports that, and runs until it is killed. */
import { openStore } from '../../../src/storage/open-store.ts'
import { ownStore } from '../../../src/storage/owner.ts'

await ownStore(await openStore(process.argv[2]!))
process.stdout.write('mine\n')
process.stdin.resume()
