/** The module that `npm start` and `npm run sandbox` run. On a server, `start.ts` runs without this module. */
import { restartFrugally } from './restart-frugally.ts'

restartFrugally()
await import('./start.ts')
