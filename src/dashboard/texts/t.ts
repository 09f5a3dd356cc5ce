import { CATALOGUE, type Text, type Translations } from './catalogue.ts'
import { formats, language } from './language.ts'

type Values = Readonly<Record<string, string | number>>

const COLUMN = { en: undefined, pt: 0, es: 1 } as const

function translated(text: string): string {
  const column = COLUMN[language]
  if (column === undefined || !Object.hasOwn(CATALOGUE, text)) return text
  return (CATALOGUE as Readonly<Record<string, Translations>>)[text]![column]
}

const filled = (text: string, values: Values) =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name]
    return typeof value === 'number' ? value.toLocaleString(formats) : (value ?? place)
  })

/** Returns a text in the language of the page. `{name}` in the text stands for the value `name`. */
export const t = (text: Text, values: Values = {}): string => filled(translated(text), values)

export const ofService = (sentence: string, values: Values = {}): string => filled(translated(sentence), values)

export const count = (n: number, one: Text, many: Text) => `${n.toLocaleString(formats)} ${t(n === 1 ? one : many)}`
