import { BRAND } from '../domain/brand.ts'

/**
 * Beginning of a command line for an installed package. Without `--no-install`, npx would download a package of this
 * name where the service is not installed.
 */
const INSTALLED = `npx --no-install ${BRAND}`
const isInstalled = /[\\/](?:bin\.js|svc)$/.test(process.argv[1] ?? '')

export const CALLED = isInstalled
  ? {
      start: INSTALLED,
      sandbox: `${INSTALLED} sandbox`,
      networkOnly: `${INSTALLED} sandbox --network-only`,
      cli: `${INSTALLED} cli`,
    }
  : { start: 'npm start', sandbox: 'npm run sandbox', networkOnly: 'npm run sandbox -- --network-only', cli: 'npm run cli --' }
