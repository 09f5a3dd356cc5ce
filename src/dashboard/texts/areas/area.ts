/** Translations of a text into the languages other than English. */
export type Translations = readonly [pt: string, es: string]

/** Texts of a part of the page. The English text is the name of the entry. */
export type Area = Readonly<Record<string, Translations>>
