export type Translations = readonly [pt: string, es: string]

/** The English text is the name of the entry. */
export type Area = Readonly<Record<string, Translations>>
