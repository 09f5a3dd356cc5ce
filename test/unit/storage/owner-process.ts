/** A process that takes the store it is given, says so, and lives until it is killed. */
import { openStore } from '../../../src/storage/open.ts'
import { ownStore } from '../../../src/storage/owner.ts'

await ownStore(await openStore(process.argv[2]!))
process.stdout.write('mine\n')
process.stdin.resume()
