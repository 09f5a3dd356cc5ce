/**
 * A process that logs to standard error, which is a file on a full disk. At the end it prints that it is still running.
 */
import { createLog } from '../../src/log.ts'

const log = createLog({ level: 'info', format: 'json' }, 'main')
for (let line = 0; line < 5_000; line++) log.info({ line }, 'x'.repeat(500))
await new Promise((resolve) => setTimeout(resolve, 50))
process.stdout.write('still there')
