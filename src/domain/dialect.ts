/**
 * Names and value formats of other gateways for the same operations. A dialect changes only the names and formats,
 * never what an operation does.
 */
export const DIALECTS = ['zapi'] as const
export type Dialect = (typeof DIALECTS)[number]

/**
 * Value of the header `X-Dialect` that selects the field names of this API for a request to an instance that uses a
 * dialect.
 */
export const OWN_WORDS = 'svc'
