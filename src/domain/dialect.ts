/**
 * Routes, names and value formats of other gateways for the operations of this API. A dialect does not change what an
 * operation does.
 */
export const DIALECTS = ['zapi'] as const
export type Dialect = (typeof DIALECTS)[number]

/**
 * Value of the header `X-Dialect` by which a request uses the field names of this API, although its instance uses a
 * dialect.
 */
export const OWN_WORDS = 'svc'
