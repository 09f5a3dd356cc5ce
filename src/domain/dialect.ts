/** Ways in which clients of other gateways write and read the same operations. A dialect changes words, never what happens. */
export const DIALECTS = ['zapi'] as const
export type Dialect = (typeof DIALECTS)[number]

/** The words of this service, where a request wants them of an instance that speaks a dialect. */
export const OWN_WORDS = 'svc'
