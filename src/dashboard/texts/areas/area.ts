export type Translations = readonly [pt: string, es: string]

/** Texts of an area with their translations. The English text is the key. */
export type Area = Readonly<Record<string, Translations>>
