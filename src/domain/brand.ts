/** The working name. Everything that carries it (headers, key prefixes, environment) is derived here, so that it can be renamed once. */
export const BRAND = 'svc'

export const header = (name: string) => `X-${BRAND[0]!.toUpperCase()}${BRAND.slice(1)}-${name}`
export const API_KEY_PREFIX = `${BRAND}_key_`
export const ADMIN_KEY_PREFIX = `${BRAND}_admin_`
export const WEBHOOK_SECRET_PREFIX = 'whsec_'

/** Of this software, as `package.json` has it (a test holds them equal). */
export const VERSION = '0.1.0'
